"""Sessions of agents: what they recalled, and what it taught."""
