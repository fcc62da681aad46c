"""Draws and rearrangements: samples with replacement, permutations, swaps. The only rooms with a random generator.

- ``draws``, ``multinomial``: binomial and multinomial draws with the same bits from every version of numpy.
- ``resample``: the bootstrap on the table, of subjects or of clusters.
- ``permute``, ``rank_permutation``, ``swaps``: arrangements that are equally likely where two rankers are equal.
"""
