"""Merging two changed versions of one file."""
