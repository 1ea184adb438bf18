"""Import and export of loki's memory."""
