"""Importing and exporting the three-layer layout."""
