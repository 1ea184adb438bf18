"""Whether one text is a copy or a newer version of another."""
