"""What users hold: `Memory`, its namespaces, and the names of yesterday."""
