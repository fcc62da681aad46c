"""Simulation studies of whether intervals cover and tests hold their size.

``python -m validation.<study> [--quick]``; what each study is, and what came out, is in ``validation/README.md``.
"""
