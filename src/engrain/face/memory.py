"""The old place of `engrain.api.memory`."""

from engrain.api.memory import Memory

__all__ = ["Memory"]
