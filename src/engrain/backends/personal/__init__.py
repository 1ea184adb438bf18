"""The operator's own notes in a folder: read, and written when the operator allows it."""
