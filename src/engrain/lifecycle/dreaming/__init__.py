"""The dream: a pass over the whole vault that finds what could be put in order (S1.17)."""
