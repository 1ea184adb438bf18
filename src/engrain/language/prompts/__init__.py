"""What a person asks an agent."""
