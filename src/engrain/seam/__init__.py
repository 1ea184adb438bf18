"""The ports to the world, and the values that floors exchange."""
