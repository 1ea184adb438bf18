"""A phase of work that ended becomes a digest."""
