"""Claims: what a sentence says of a person, a company, a project or a tool."""
