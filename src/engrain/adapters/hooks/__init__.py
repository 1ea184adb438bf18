"""What a host runs at its events: a cold process with a deadline, which always leaves with 0."""
