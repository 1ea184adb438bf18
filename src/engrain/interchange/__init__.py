"""Importing from other tools' memories, and exporting to them."""
