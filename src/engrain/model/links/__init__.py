"""Links between notes: reading, writing and renaming them."""
