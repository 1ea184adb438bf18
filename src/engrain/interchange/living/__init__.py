"""Importing and exporting the living layout."""
