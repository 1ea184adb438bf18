"""Transcripts of agents' sessions, read into episodes by one reader for all hosts (S2.2)."""
