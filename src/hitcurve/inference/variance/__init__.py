"""How far a value varies from sample to sample, without drawing.

- ``influence``: what one subject adds to a metric, to first order; ``step`` of the cutting has the slope at a hard cut.
- ``spread``: variances of lists and what to be wary of; ``lacking``: which lists have none, and why.
- ``joint``, ``products``, ``exact_products``: cross-products over subjects, for all rankers and metrics in one pass.
- ``covariance``, ``by_cluster``, ``design_effect``: as results, and with subjects in clusters.
- ``half_subject``, ``corrected``, ``many_rates``: variances of the table with half a subject more, with wrong labels,
  of many densities of the rate.
"""
