"""The web console: what the memory holds and does, as pages on loopback for the operator."""
