"""Maps of contents: pages that list the entries of a topic."""
