"""Confidence intervals of one value: which recipe, and the recipes.

``interval`` chooses; ``inversion``, ``region`` with ``hard_cuts`` and ``cut_region``, ``operating`` with ``profile``,
``tilting``, and ``drawn`` with ``percentiles`` are the recipes.
"""
