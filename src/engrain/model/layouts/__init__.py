"""The folder layouts of other memories: three layers (S4) and the living memory (S3)."""
