"""Erasing an entry for good, with every trace of it."""
