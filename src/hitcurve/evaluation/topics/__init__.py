"""Runs and judgements of TREC as an evaluation of every topic, as trec_eval makes it."""
