"""Commands about links between notes."""
