"""Input at random at every door: an answer that a slow definition confirms, or an error of the package."""
