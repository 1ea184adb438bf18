"""The base of values on the hot path, where `dataclasses` would double the start of a process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform() -> Any:
        """Do nothing: only a type checker looks at it."""
        return lambda cls: cls


_MANY = 20
"""Instances of a class after which its constructor is compiled, which takes about as long."""


class _Fields(type):
    """Makes a slot of each attribute that a class declares; its value there is the default."""

    _fields: tuple[str, ...] = ()
    _keywords: frozenset[str] = frozenset()
    _defaults: dict[str, Any] = {}
    _made: int
    _fill: Callable[..., None] | None

    def __new__(
        mcs, name: str, bases: tuple[_Fields, ...], body: dict[str, Any], **_: bool
    ) -> _Fields:
        known = bases[0]._fields if bases else ()
        declared = [*body.get("__annotations__", ())]
        keywords = declared[declared.index("_") :] if "_" in declared else []
        own = [field for field in declared if field not in (*known, "_")]
        defaults = {field: body.pop(field) for field in declared if field in body}
        cls = super().__new__(mcs, name, bases, {**body, "__slots__": own})
        cls._fields, cls._defaults = (*known, *own), {**cls._defaults, **defaults}
        cls._keywords, cls._made, cls._fill = cls._keywords.union(keywords), 0, None
        return cls

    def _compile(cls) -> Callable[..., None]:
        """Return a constructor like one written by hand, which is several times as fast."""
        given = {name: name for name in cls._fields}
        given |= {name: f"{name}=defaults[{name!r}]" for name in cls._defaults}
        named = [given.pop(name) for name in cls._fields if name in cls._keywords]
        head = ", ".join(["self", *given.values(), *(["*", *named] if named else [])])
        lines = [f"self.{name} = {name}" for name in cls._fields]
        scope: dict[str, Any] = {"defaults": cls._defaults}
        exec(f"def made({head}):\n " + "\n ".join([*lines, "self.__post_init__()"]), scope)  # noqa: S102
        made: Callable[..., None] = scope["made"]
        return made


@dataclass_transform()
class Struct(metaclass=_Fields):
    """A value whose attributes are given in their order or by name, as to a dataclass.

    Keyword-only attributes stand behind `_: KW_ONLY`. Defaults are shared, so they are immutable.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        cls = type(self)
        if cls._fill:
            cls._fill(self, *given, **named)
            return
        cls._made += 1
        if cls._made == _MANY:
            cls._fill = cls._compile()
        values = {**cls._defaults, **dict(zip(cls._fields, given, strict=False)), **named}
        if len(values) != len(cls._fields):
            raise TypeError(f"{cls.__name__} needs {', '.join(cls._fields)}")
        for name, value in values.items():
            setattr(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Complete the value, once its attributes are set."""

    def replace(self, **changes: Any) -> Self:
        """Return the same value with some attributes changed."""
        cls = type(self)
        return cls(**{name: getattr(self, name) for name in cls._fields} | changes)


class Comparable(Struct):
    """A value that equals another of its class with the same attributes, which can be hashed."""

    def _key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self)._fields)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        named = (f"{name}={getattr(self, name)!r}" for name in type(self)._fields)
        return f"{type(self).__name__}({', '.join(named)})"
