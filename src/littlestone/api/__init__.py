"""The verbs: one verb, one file."""
