"""The index of vectors."""
