"""What changes with time: a metric by day with its levels, and rankers compared while labels arrive."""
