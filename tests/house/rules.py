"""The rules of the source tree; each yields the places that break it, one line a place.

A line names functions and modules without their folders, so that a move leaves the frozen lists
as they are.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby

from house.reading import (
    ROOT,
    Function,
    Module,
    count_branches,
    find_importers,
    find_imports,
    find_public,
)

Modules = dict[str, Module]

CROWD = 25
FAMILY = 4
SMALL = 80
BRANCHES = 12

PRIVATE_WORDS = re.compile(
    r"\b(?:told|of none|of which|what is there|the ones? that|waits? for your word)\b"
)
"""Phrases that a reader who meets the project for the first time must read twice."""

PRIVATE_VERBS = frozenset(("bury", "lay", "meet", "say", "settle", "tell"))
"""Verbs with which no function's name begins: a field's word says more."""
COMMANDS = frozenset(("settle", "settle_fact", "settle_commitment"))
"""Functions that are named after what a person types."""
NOUN_PHRASE = frozenset(("a", "an", "its", "the", "those", "what", "where"))
"""Words with which the docstring of no function begins, since it begins with a verb."""


def find_below_language(modules: Modules) -> Iterator[str]:
    """Imports of the package in `language`, which knows nothing of memory."""
    for module in modules.values():
        if _floor(module.name) == "language":
            for name in sorted(find_imports(module, modules)):
                if _floor(name) != "language" and name != ROOT:
                    yield f"{module.name} imports {name}"


def find_namesakes(modules: Modules) -> Iterator[str]:
    """Names that more than one class of the package has, with the modules of the classes."""
    places: dict[str, list[str]] = {}
    for module in modules.values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module.name)
    for name, where in places.items():
        if len(where) > 1:
            yield f"{name} is a class of {', '.join(sorted(where))}"


def find_crowds(modules: Modules) -> Iterator[str]:
    """Folders of too many modules, and files that share a first word but no folder."""
    plain = sorted(
        (module for module in modules.values() if not module.is_package),
        key=lambda module: module.folder,
    )
    for folder, inside in groupby(plain, lambda module: module.folder):
        words = [module.word for module in inside]
        if len(words) > CROWD:
            yield f"{folder} has {len(words)} modules"
        compound = {word.partition("_")[0] for word in words if "_" in word}
        firsts = Counter(word.partition("_")[0] for word in words)
        for first in sorted(compound):
            if firsts[first] >= FAMILY:
                yield f"{folder}.{first}_* are {firsts[first]} modules"


def find_crumbs(modules: Modules) -> Iterator[str]:
    """Small modules that only a neighbour in their folder imports.

    Ports and tables of data stand alone.
    """
    importers = find_importers(modules)
    for module in modules.values():
        users = importers[module.name]
        if module.is_package or module.lines >= SMALL or len(users) != 1:
            continue
        (user,) = users
        if modules[user].folder != module.folder or modules[user].is_package:
            continue
        if _floor(module.name) == "seam" or _is_table(module):
            continue
        yield f"{module.word} belongs into {modules[user].word}"


def find_misnamed(modules: Modules, commands: dict[str, str]) -> Iterator[str]:
    """Commands, with their modules' dotted names, that live in a module of another name."""
    for command, name in commands.items():
        if name not in modules:
            yield f"{command} has no module {name}"
        elif name.rpartition(".")[2].rstrip("_").replace("_", "-") != command:
            yield f"{command} lives in {name.rpartition('.')[2]}"


def find_docstrings(modules: Modules) -> Iterator[str]:
    """Docstrings that don't begin with a sentence, or use a phrase that is ours alone."""
    for module in modules.values():
        for name, text in find_public(module):
            first = re.split(r"\n\s*\n", text, maxsplit=1)[0].rstrip()
            if not first.endswith("."):
                yield f"{name} does not end its first paragraph with a period"
            if not re.match(r"`{0,2}\w", first):
                yield f"{name} does not start with a word"
            for phrase in sorted(set(PRIVATE_WORDS.findall(text))):
                yield f"{name} says “{phrase}”"


def find_vague(modules: Modules) -> Iterator[str]:
    """Functions whose name or docstring does not begin with a verb that everyone knows."""
    for module in modules.values():
        for node in module.nodes:
            if not isinstance(node, Function) or _is_property(node):
                continue
            first = node.name.strip("_").partition("_")[0]
            if first in PRIVATE_VERBS and node.name not in COMMANDS:
                yield f"{node.name} is named by a private verb"
            text = (ast.get_docstring(node) or "").split()
            if text and text[0].casefold() in NOUN_PHRASE:
                yield f"{node.name} is described by no verb"


def _is_property(function: Function) -> bool:
    return any(getattr(one, "id", "").endswith("property") for one in function.decorator_list)


def find_branchy(modules: Modules) -> Iterator[str]:
    """Functions of too many branches, each once for every branch above the bound."""
    for module in modules.values():
        for node in module.nodes:
            if isinstance(node, Function):
                yield from [node.name] * (count_branches(node) - BRANCHES)


def find_unresolved(modules: Modules) -> Iterator[str]:
    """Strings that name a module or a member of one, and name nothing."""
    for module in modules.values():
        for named in _named_by_string(module):
            path, _, member = named.partition(":")
            if path not in modules or (member and not hasattr(import_module(path), member)):
                yield f"{module.name} names {named}"


def _floor(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def _is_table(module: Module) -> bool:
    return not any(isinstance(node, (Function, ast.ClassDef)) for node in module.tree.body)


_NAMED = re.compile(rf"{ROOT}(?:\.[a-z_]\w*)+(?::\w+)?")
_OTHERS = {"engrain.exe", "engrain.ts", "engrain.cp1252", "engrain.commands"}
"""Names of files, of a codec and of a group of entry points, which look like modules."""


def _named_by_string(module: Module) -> Iterator[str]:
    """The strings of a module that look like a dotted name of the package, f-strings included."""
    known = {
        target.id: node.value.value
        for node in module.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }
    inside = {
        id(part) for node in module.nodes if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in inside else node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(_text(part, known) for part in node.values)
        else:
            continue
        if _NAMED.fullmatch(text) and text not in _OTHERS:
            yield text


def _text(part: ast.expr, known: dict[str, str]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
        return known.get(part.value.id, "?")
    return "?"
