"""Metrics as functions of a magnification, a prevalence or a budget: grids, plans, evaluation of each point once."""
