"""The store of one vault, what keeps its index in step, and what every verb shares."""
