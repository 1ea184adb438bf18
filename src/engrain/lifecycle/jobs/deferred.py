"""Functions that a table names and whose modules are imported only when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(slots=True, eq=False)
class Deferred(Generic[Function]):
    """A function by its place, written as `module:name`."""

    place: str

    def load(self) -> Function:
        """Import the module and return the function. Raises ImportError or AttributeError for a
        place that does not exist; a test resolves every table."""
        module, _, name = self.place.partition(":")
        function: Function = getattr(import_module(module), name)
        return function
