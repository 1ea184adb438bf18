"""Pictures of the graph of links, and pages of contents."""
