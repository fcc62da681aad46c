"""Tests of two rankers, and of many: the same subjects or others, once or while labels arrive.

``compare`` is the door of pairs, ``two_samples`` of subjects that are not shared, ``many`` and ``letters`` of several
pairs at once; ``looks`` and ``betting`` hold at any time; ``power`` plans.
"""
