"""Entries fade with time, or stay loaded while they are used."""
