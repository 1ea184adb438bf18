"""The layout of `.loki/memory`, taken in and written out (`import` and `export --format loki`)."""
