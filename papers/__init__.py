"""One script for each paper: its tables and figures, from data to number, next to what was published."""
