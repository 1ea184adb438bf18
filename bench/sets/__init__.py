"""Published question sets: their readers, and the measurement of recall on them."""
