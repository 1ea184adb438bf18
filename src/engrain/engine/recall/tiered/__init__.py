"""Recalls what is known of people, companies and projects, from summary to detail."""
