"""The store of one vault, the upkeep of its index, and the helpers that all verbs share."""
