"""The Python API: `Memory` and its namespaces."""
