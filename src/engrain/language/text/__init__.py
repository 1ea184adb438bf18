"""Words, sentences, numbers, dates and blocks of markdown."""
