"""Episodes become patterns and mistakes to avoid."""
