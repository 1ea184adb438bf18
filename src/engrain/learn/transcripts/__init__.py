"""Transcripts of agents' sessions, read into episodes (S2.2; DESIGN section 11).

One reader, with a table for each host, turns lines into events of one vocabulary; what an episode
is, which action a tool call was, what failed and what fixed it is derived from those alone, so that
transcripts of the same work by two hosts give alike episodes.
"""
