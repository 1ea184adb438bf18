"""Commands about the work of agents in a project."""
