"""An entry and its file: frontmatter, body, kind, tier and name."""
