"""The layout of loki's memory."""
