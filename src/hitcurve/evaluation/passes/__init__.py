"""From any source to lists in two passes: the scores of the positives, then counts over them.

``limits`` says how many scores have a row of their own; where positives have more, ``exactly`` and ``on_disk`` read
sorted slices, or ``lists`` are of bins. ``counting`` makes tables to be kept.
"""
