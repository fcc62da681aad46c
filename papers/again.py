"""The rows beside the papers anew, from the tables that are committed: ``python -m papers.again``.

For a change of words or of a verdict that no new draw is needed for. It writes ``comparison.csv`` of the scripts whose
long part is in their tables; what a script says of its numbers and what is committed cannot part.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

from papers.frame import conclude

SCRIPTS = ("swamidass2010", "swamidass_areas", "swamidass_tests", "swamidass_passes")


def main() -> int:
    """Write the rows; the exit code is the worst of the scripts."""
    codes = []
    warnings.simplefilter("ignore")  # each was said by the run that wrote the tables
    for name in SCRIPTS:
        print(f"== papers.{name}", flush=True)
        script = import_module(f"papers.{name}")
        rows = script.again()
        about = script.FOLDER.about("comparison").split("; ", 1)[1].rsplit("; ", 1)[0]
        script.FOLDER.write("comparison", [row.line for row in rows], about)
        codes.append(conclude(rows))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
