"""Instructions of an operator: an action, what limits it, and how two compare."""
