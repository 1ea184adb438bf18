"""Forward learning: quotations from places that the operator approved, for the inbox (S1.20)."""
