"""The graph of links, and figures of it."""
