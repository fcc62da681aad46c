"""Cuts that keep a promise with confidence, the largest enrichment, and rules to stop a review."""
