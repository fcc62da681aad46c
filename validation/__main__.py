"""All studies, one after the other: ``python -m validation [--quick]``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from validation import (
    agreement,
    agreement_of_bands,
    areas,
    average_precision,
    bands,
    better,
    certified,
    clusters,
    counted_tops,
    cutoffs,
    cutoffs_designs,
    decisions,
    defaults,
    drift,
    families,
    figure,
    gaps,
    inversion,
    limit_law,
    looks,
    mostly_tied,
    near_ends,
    not_shown,
    paired,
    paired_power,
    path_lengths,
    planning,
    points,
    points_open,
    points_paired,
    precision_sets,
    readers,
    regions,
    screens,
    set_prevalence,
    shortfalls,
    studies,
    survival,
    topics,
    winners,
    wrong_labels,
)
from validation.running import arguments

TESTS = (paired, paired_power, families, planning, looks, topics)
STUDIES = (
    *(average_precision, areas, cutoffs, cutoffs_designs, inversion, *TESTS, better, path_lengths, precision_sets),
    *(bands, regions, defaults, near_ends, mostly_tied, limit_law, winners, screens, readers),
    *(points, points_paired, points_open, certified, decisions, wrong_labels, survival),
    *(clusters, gaps, drift, set_prevalence, not_shown, counted_tops, studies),
    shortfalls,  # reads the results of the others
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the studies; unless it is quick, compare them with the design's numbers and draw the figure."""
    args = arguments(__doc__, argv)
    said = [f"--processes={args.processes}", *(["--quick"] if args.quick else [])]
    codes: list[int] = []
    for study in STUDIES:
        print(f"== {study.__name__}", flush=True)
        codes.append(study.main(said))
    if not args.quick:
        codes += [agreement.main([]), agreement_of_bands.main([]), figure.main([])]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
