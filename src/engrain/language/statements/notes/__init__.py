"""Statements of notes: a subject, an attribute and its value."""
