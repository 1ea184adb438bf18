"""Read the source tree once: its modules, their syntax, who imports whom."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import engrain

SOURCE = Path(engrain.__file__).parent
ROOT = "engrain"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One source file; `name` is dotted, and ends with the folder's name for an `__init__`."""

    name: str
    path: Path
    tree: ast.Module
    lines: int
    nodes: list[ast.AST] = field(repr=False)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def word(self) -> str:
        return self.name.rpartition(".")[2]


@functools.lru_cache(maxsize=2)
def read_modules(source: Path = SOURCE) -> dict[str, Module]:
    """The modules below a folder that stands for the package, by their dotted names."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join((ROOT, *(part for part in parts if part != "__init__")))
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        found[name] = Module(name, path, tree, text.count("\n"), list(ast.walk(tree)))
    return found


def find_imports(module: Module, modules: dict[str, Module]) -> set[str]:
    """The modules of the package that `module` imports anywhere, or names in a string."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(
                inside if (inside := f"{node.module}.{alias.name}") in modules else node.module
                for alias in node.names
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value.partition(":")[0])
    return (found & modules.keys()) - {module.name}


def find_importers(modules: dict[str, Module]) -> dict[str, set[str]]:
    """Module -> those that import it."""
    found: dict[str, set[str]] = {name: set() for name in modules}
    for module in modules.values():
        for name in find_imports(module, modules):
            found[name].add(module.name)
    return found


def find_public(module: Module) -> Iterator[tuple[str, str]]:
    """The name and docstring of the module and of each public class and function that has one."""

    def visit(node: ast.AST, above: str) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (Function, ast.ClassDef)):
                continue
            name = f"{above}.{child.name}" if above else child.name
            if not child.name.startswith("_"):
                if text := ast.get_docstring(child):
                    yield name, text
                yield from visit(child, name)

    if text := ast.get_docstring(module.tree):
        yield module.word, text
    yield from visit(module.tree, "")


def count_branches(function: Function) -> int:
    """The branches of a function without those of functions inside it.

    Each `if`, loop, `except`, `case`, conditional expression and condition of a comprehension
    counts one, and each further operand of `and` and `or` one more.
    """
    total, todo = 0, list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, (Function, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(
            node,
            (
                ast.If,
                ast.For,
                ast.AsyncFor,
                ast.While,
                ast.ExceptHandler,
                ast.IfExp,
                ast.match_case,
            ),
        ):
            total += 1
        elif isinstance(node, ast.comprehension):
            total += len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        todo += ast.iter_child_nodes(node)
    return total
