"""Keeps the compiled modules and regular expressions of the hot path in one file, so that a process
which lives for 30 ms opens one file instead of a hundred and compiles nothing.

The file is in this package's `__pycache__`. It has the code of each module in `hot_path.txt`, as
Python caches it, with the size and time of its source. A module whose source has changed is
imported as usual, and so are all modules if the file is missing or made for another interpreter.
A command rewrites a stale file at its end, if Python may write such files at all.

The file also has what `re` made of the patterns of these modules, by the pattern and its flags, so
that `re`, which takes as long to load as the index, is not loaded for them.

    magic number, 4 bytes: length of the table, the table, code of each module, each pattern, table
    of the patterns
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType
    from typing import Any

    Stamp = tuple[int, int]
    Patterns = dict[tuple[str, int], tuple[Any, ...]]
    """What `re` makes of a pattern and its flags: what `_sre.compile` is given."""

_FOLDER = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(_FOLDER, "__pycache__", f"hot_path.{sys.implementation.cache_tag}.bin")
_PACKAGE = "__init__.py"
_OTHERS = """
bisect collections collections.abc contextlib copyreg encodings.utf_8_sig enum functools heapq
importlib json json.decoder json.encoder json.scanner keyword operator re re._casefix re._compiler
re._constants re._parser reprlib types warnings
"""
"""The modules of the standard library that a hook or an everyday command loads."""
_MADE_FOR = (_FOLDER, sys.version, os.stat(__file__).st_mtime_ns)
_HEAD = len(MAGIC_NUMBER) + 4
_PATTERNS = ""
"""The row of the table for the second table, of the patterns."""


class Compiled:
    """Finds modules in the file. `is_stale` says that the file or a module in it is out of date."""

    def __init__(self) -> None:
        self.is_stale = False
        self._table: dict[str, tuple[str, Stamp, int, int]] = {}
        self._patterns: dict[tuple[str, int], tuple[int, int]] | None = None
        try:
            self._file = os.open(PATH, os.O_RDONLY)
            head = os.pread(self._file, _HEAD, 0)
            if head[:-4] != MAGIC_NUMBER:
                raise ValueError
            size = int.from_bytes(head[-4:], "little")
            self._start = _HEAD + size
            made_for, table = marshal.loads(os.pread(self._file, size, _HEAD))
            # If a standard stream is closed, the file got its number: then it is not used.
            if self._file > 2 and made_for == _MADE_FOR:
                self._table = table
            self.is_stale = not self._table
        except (OSError, ValueError, EOFError, TypeError):
            self.is_stale = True

    def find_spec(
        self, name: str, _: Sequence[str] | None, __: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module for `importlib`; return None if its current version is not in the file."""
        if name not in self._table:
            return None
        origin, stamp, at, size = self._table[name]
        try:
            found = os.stat(origin)
        except OSError:
            return None
        if stamp != (found.st_mtime_ns, found.st_size):
            self.is_stale = True
            return None
        loader = _Loader(name, origin)
        loader.code = self._read(size, at)
        spec = ModuleSpec(name, loader, origin=origin)
        if origin.endswith(_PACKAGE):
            spec.submodule_search_locations = [os.path.dirname(origin)]
        spec.has_location = True
        spec.cached = PATH
        return spec

    def find_pattern(self, pattern: str, flags: int) -> tuple[Any, ...] | None:
        """Return what the file has of a regular expression, None if nothing."""
        try:
            if self._patterns is None:
                _, _, at, size = self._table[_PATTERNS]
                self._patterns = marshal.loads(self._read(size, at))
            at, size = self._patterns[pattern, flags]
            found: tuple[Any, ...] = marshal.loads(self._read(size, at))
        except (KeyError, OSError, ValueError, EOFError, TypeError):
            return None
        return found

    def _read(self, size: int, at: int) -> bytes:
        return os.pread(self._file, size, self._start + at)


class _Loader(SourceFileLoader):
    code = b""

    def get_code(self, fullname: str) -> CodeType | None:
        # Let go of, so that the next module's bytes take the same memory.
        code, self.code = self.code, b""
        try:
            found: CodeType = marshal.loads(code)
        except (ValueError, EOFError, TypeError):
            return super().get_code(fullname)
        return found


def install() -> Compiled:
    """Make imports look into the file first."""
    sys.meta_path.insert(0, _found)
    return _found


def write(make_patterns: Callable[[], Patterns]) -> None:
    """Write the file, whole or not at all; do nothing if Python may not write its caches there.
    `make_patterns` gives the patterns of all modules that are loaded."""
    folder = os.path.dirname(PATH)
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return
    from importlib import import_module
    from importlib.util import find_spec

    table: dict[str, tuple[str, Stamp, int, int]] = {}
    parts: list[bytes] = []
    temp = f"{PATH}.{os.getpid()}"

    def add(part: Any) -> tuple[int, int]:
        """Add a part to the file and return its place and size."""
        parts.append(marshal.dumps(part))
        return sum(map(len, parts[:-1])), len(parts[-1])

    try:
        with open(os.path.join(_FOLDER, "hot_path.txt"), encoding="ascii") as file:  # noqa: PTH123
            names = file.read().split()
        for name in [*names, *_OTHERS.split()]:
            spec = find_spec(name)
            origin = (spec and spec.origin) or ""
            if not origin.endswith(".py"):
                continue  # built into the interpreter
            found = os.stat(origin)
            code = SourceFileLoader(name, origin).get_code(name)
            table[name] = origin, (found.st_mtime_ns, found.st_size), *add(code)
            import_module(name)
        patterns = {key: add(made) for key, made in make_patterns().items()}
        table[_PATTERNS] = "", (0, 0), *add(patterns)
        listed = marshal.dumps((_MADE_FOR, table))
        length = len(listed).to_bytes(4, "little")
        with open(temp, "wb") as written:  # noqa: PTH123
            written.writelines((MAGIC_NUMBER, length, listed, *parts))
        os.replace(temp, PATH)
    except Exception:  # the command is done, and a missing cache must not make it fail
        if os.path.exists(temp):
            os.unlink(temp)


_found = Compiled()
