"""The ports: what the engine needs of the world, and nothing about how it is done."""
