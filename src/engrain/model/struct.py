"""The base of values on the hot path, where `dataclasses` would double the start of a process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform() -> Any:
        """Do nothing: only a type checker looks at it."""
        return lambda cls: cls


class _Fields(type):
    """Makes a slot of each attribute that a class declares; its value there is the default."""

    _fields: tuple[str, ...] = ()
    _defaults: dict[str, Any] = {}

    def __new__(
        mcs, name: str, bases: tuple[_Fields, ...], body: dict[str, Any], **_: bool
    ) -> _Fields:
        known = bases[0]._fields if bases else ()
        declared = [field for field in body.get("__annotations__", ()) if field != "_"]
        own = [field for field in declared if field not in known]
        defaults = {field: body.pop(field) for field in declared if field in body}
        cls = super().__new__(mcs, name, bases, {**body, "__slots__": own})
        cls._fields, cls._defaults = (*known, *own), {**cls._defaults, **defaults}
        return cls


@dataclass_transform()
class Struct(metaclass=_Fields):
    """A value whose attributes are given in their order or by name, as to a dataclass.

    Keyword-only attributes stand behind `_: KW_ONLY`. Defaults are shared, so they are immutable.
    Making one takes about a microsecond more than by a constructor of its own.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        fields = type(self)._fields
        values = {**type(self)._defaults, **dict(zip(fields, given, strict=False)), **named}
        if len(values) != len(fields):
            raise TypeError(f"{type(self).__name__} needs {', '.join(fields)}")
        for name, value in values.items():
            setattr(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Complete the value, once its attributes are set."""

    def replace(self, **changes: Any) -> Self:
        """The same value with some attributes changed."""
        cls = type(self)
        return cls(**{name: getattr(self, name) for name in cls._fields} | changes)
