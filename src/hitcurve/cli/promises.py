"""What commands about promises share: the exit code of what cannot be promised."""

from __future__ import annotations

NOT_SHOWN = 3
"""Exit code where a promise cannot be made."""
