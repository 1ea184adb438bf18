"""The Python API: `Memory`, its namespaces, and deprecated names."""
