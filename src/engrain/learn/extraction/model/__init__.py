"""Facts that a model reads in a conversation."""
