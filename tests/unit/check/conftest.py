"""The tests of `check` stand on the fixtures of the engine's."""

from unit.engine.conftest import memory, nothing_around, vault

__all__ = ["memory", "nothing_around", "vault"]
