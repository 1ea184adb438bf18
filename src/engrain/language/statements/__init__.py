"""What sentences state, and whether two statements agree, repeat or contradict each other."""
