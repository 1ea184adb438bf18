"""Recall of people, companies and projects, from summary to detail."""
