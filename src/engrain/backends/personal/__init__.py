"""The operator's own notes in a folder, which are written only when the operator allows it."""
