"""Entries, outcomes and errors as JSON, text and exit codes: one translation for every way in."""
