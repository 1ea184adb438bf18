"""Reflection: the operator's own words of a finished session that are worth keeping (S1.20)."""
