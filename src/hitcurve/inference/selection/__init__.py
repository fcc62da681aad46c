"""The best of many rankers, and what its value is worth after it was chosen."""
