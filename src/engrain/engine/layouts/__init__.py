"""The folder layouts of other memories, taken in and written out (S3, S4)."""
