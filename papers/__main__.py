"""All papers, one after the other: ``python -m papers [--quick]``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from papers.frame import arguments

# the longest at the end, and after it what reads its results
SCRIPTS = (
    "su_yuan_zhu",
    "yuan_slides",
    "millard_flach_higgins",
    "clemencon_vayatis",
    "beyond",
    "swamidass2010",
    "swamidass_areas",
    "swamidass_tests",
    "swamidass_passes",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the scripts; the exit code is the worst of theirs."""
    args = arguments(__doc__, argv)
    said = ["--data", str(args.data), *(["--quick"] if args.quick else [])]
    codes: list[int] = []
    for name in SCRIPTS:
        print(f"== papers.{name}", flush=True)
        codes.append(import_module(f"papers.{name}").main(said))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
