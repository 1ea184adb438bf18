"""Finding passwords, keys and tokens in text."""
