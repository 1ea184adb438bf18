"""The base of values on the hot path, where `dataclasses` would double the start of a process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform() -> Any:
        """Do nothing: only a type checker looks at it."""
        return lambda cls: cls


_MANY = 400
"""Instances of a class after which its constructor is compiled, which takes 0.1 to 0.4 ms."""
_made: dict[type, int] = {}
"""The number of instances of each class so far."""


class _Fields(type):
    """Makes a slot of each attribute that a class declares; its value there is the default."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]
    _named: tuple[str, ...]
    """The attributes that are given by name only."""

    def __new__(
        mcs, name: str, bases: tuple[_Fields, ...], body: dict[str, Any], **_: bool
    ) -> _Fields:
        base = bases[0] if bases else None
        known, inherited = (base._fields, base._defaults) if base else ((), {})
        named = base._named if base else ()
        declared = [*body.get("__annotations__", ())]
        if "_" in declared:
            at = declared.index("_")
            del declared[at]
            named = (*named, *declared[at:])
        own = [field for field in declared if field not in known]
        defaults = {field: body.pop(field) for field in declared if field in body}
        body |= {
            "__slots__": own,
            "_fields": (*known, *own),
            "_defaults": {**inherited, **defaults} if defaults else inherited,
            "_named": named,
        }
        if base:
            body.setdefault("__init__", Struct.__init__)
        return super().__new__(mcs, name, bases, body)

    def _compile(cls) -> Callable[..., None]:
        """Return a constructor like one written by hand, which is several times as fast. For a
        class that inherits it, it leaves the work to the common one."""
        given = {name: name for name in cls._fields}
        given |= {name: f"{name}=defaults[{name!r}]" for name in cls._defaults}
        named = [given.pop(name) for name in cls._named]
        head = ", ".join(["self", *given.values(), *(["*", *named] if named else [])])
        same = ", ".join(["self", *(f"{name}={name}" for name in cls._fields)])
        lines = [f"if self.__class__ is not cls: return common({same})"]
        lines += [f"self.{name} = {name}" for name in cls._fields]
        if cls.__post_init__ is not Struct.__post_init__:  # type: ignore[attr-defined]
            lines.append("self.__post_init__()")
        scope: dict[str, Any] = {"defaults": cls._defaults, "cls": cls, "common": Struct.__init__}
        exec(f"def made({head}):\n " + "\n ".join(lines), scope)  # noqa: S102
        made: Callable[..., None] = scope["made"]
        return made


@dataclass_transform()
class Struct(metaclass=_Fields):
    """A value whose attributes are given in their order or by name, as to a dataclass.

    Keyword-only attributes stand behind `_: KW_ONLY`. Defaults are shared, so they are immutable.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        cls = type(self)
        _made[cls] = made = _made.get(cls, 0) + 1
        if made == _MANY and vars(cls)["__init__"] is Struct.__init__:
            cls.__init__ = cls._compile()  # type: ignore[method-assign]
        values: Iterable[tuple[str, Any]]
        if not named and len(given) == len(cls._fields):
            values = zip(cls._fields, given, strict=True)
        else:
            known = {**cls._defaults, **dict(zip(cls._fields, given, strict=False)), **named}
            if len(known) != len(cls._fields):
                raise TypeError(f"{cls.__name__} needs {', '.join(cls._fields)}")
            values = known.items()
        for name, value in values:
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
