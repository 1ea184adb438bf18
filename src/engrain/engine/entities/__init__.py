"""Entities, their files and facts."""
