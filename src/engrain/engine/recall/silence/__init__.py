"""Finds from which relevance on recall answers in one vault, and below which it is silent."""
