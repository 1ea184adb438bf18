"""Forward learning: what is new in places that the operator approved, brought to the inbox for
their word (S1.20).

What is read there is data. Nothing of it is followed, adopted or trusted: a candidate is a
quotation with its origin, and recall does not look where it waits.
"""
