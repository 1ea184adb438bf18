"""The file layouts of other tools, as values."""
