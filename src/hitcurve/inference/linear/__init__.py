"""Linear combinations of values with known covariances: contrasts, gaps of subgroups, rates at one common cutoff."""
