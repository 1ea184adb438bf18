"""Sources: what people and agents said and wrote, read as turns in bounded memory (S4.4)."""
