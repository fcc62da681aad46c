"""Values with their uncertainty: of one list, of many, of lists read in slices, and the difference of two.

``measured`` holds the simulated coverage of defaults, from which ``cautions`` are made; ``chance`` tests one list
against a random order.
"""
