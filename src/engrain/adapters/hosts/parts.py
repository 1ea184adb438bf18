"""What is ours in a host's file: added, renewed and taken out again without touching the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from engrain.adapters.hosts import json_text
from engrain.adapters.hosts.json_tree import Item, Node, parse

NAME = "engrain"


class Part(ABC):
    """One thing of ours in a text file. The methods raise ValueError, which says what is wrong
    with the text."""

    @abstractmethod
    def add(self, text: str) -> str:
        """`text` with ours in it, as this installation has it; the same text if it is there."""

    @abstractmethod
    def remove(self, text: str, base: str | None) -> str:
        """`text` without ours. `base` is the file as it was before, None if there was none: what
        it had, empty or not, stays."""


class Whole(Part):
    """A file that is all ours, known by a line in it."""

    def __init__(self, content: str, mark: str) -> None:
        self._content = content
        self._mark = mark

    def add(self, text: str) -> str:
        del text
        return self._content

    def remove(self, text: str, base: str | None) -> str:
        return (base or "") if self._mark in text else text


class JsonPart(Part):
    """A part of a JSON document whose root is an object. `comments`: the host reads JSONC."""

    def __init__(self, comments: bool) -> None:
        self._comments = comments

    def read(self, text: str) -> Node:
        root = parse(text if text.strip("\ufeff \t\r\n") else "{}", comments=self._comments)
        if root.kind != "{":
            raise ValueError("its root is no object")
        return root

    def reach(self, text: str, path: Sequence[str], kind: str) -> tuple[str, Node, Node]:
        """(text, root, container at `path`), the objects on the way made where they are not."""
        empty: Mapping[str, object] | Sequence[object]
        if not text.strip("\ufeff \t\r\n"):
            text += "{}\n"
        for depth, key in enumerate(path):
            root = self.read(text)
            box = walk(root, path[:depth])
            if box is not None and box.kind == "{" and box.find(key) is None:
                empty = {} if depth + 1 < len(path) or kind == "{" else []
                text = json_text.append(text, root, box, key, empty)
        root = self.read(text)
        box = walk(root, path)
        if box is None or box.kind != kind:
            what = "object" if kind == "{" else "list"
            raise ValueError(f"{'.'.join(path) or 'its root'} is no {what}")
        return text, root, box

    def renew(
        self, text: str, find: Callable[[str], Node | None], values: Mapping[str, object]
    ) -> str:
        """`text` with another installation's program renewed in the object of ours that `find`
        finds, and with what is missing there; what a person chose stays."""
        # What ends in our words goes first: by it a hook is known between two steps.
        program = ("args", "command") if "args" in values else ("command", "args")
        for key in dict.fromkeys((*program, *values)):
            root, box = self.read(text), find(text)
            if box is None:
                break
            item = box.find(key)
            if item is None and key in values:
                text = json_text.append(text, root, box, key, values[key])
            elif item is None or key not in program:
                continue
            elif key not in values:
                text = json_text.remove(text, box, item)
            elif item.value.read(text) != values[key]:
                text = json_text.replace(text, root, box, key, values[key])
        return text

    def prune(self, text: str, path: Sequence[str], base: str | None) -> str:
        """`text` without the containers on `path` that are empty now and `base` has not."""
        old = self.read_base(base)
        for depth in range(len(path), 0, -1):
            root = self.read(text)
            box = walk(root, path[:depth])
            outer = walk(root, path[: depth - 1])
            item = outer.find(path[depth - 1]) if outer else None
            if box is None or box.items or outer is None or item is None:
                break
            if old is not None and walk(old, path[:depth]) is not None:
                break
            text = json_text.remove(text, outer, item)
        return text

    def read_base(self, base: str | None) -> Node | None:
        try:
            return None if base is None else self.read(base)
        except ValueError:
            return None


class Entry(JsonPart):
    """A member called `engrain` in an object, such as a server among the MCP servers."""

    def __init__(self, path: Sequence[str], value: Mapping[str, object], comments: bool) -> None:
        super().__init__(comments)
        self._path = path
        self._value = value

    def add(self, text: str) -> str:
        text, root, box = self.reach(text, self._path, "{")
        item = box.find(NAME)
        if item is None:
            return json_text.append(text, root, box, NAME, self._value)
        # What a person added to the entry, such as its environment, stays; and all of one that
        # names an address: it is a person's own way to reach the server.
        path = (*self._path, NAME)
        return (
            self.renew(text, lambda now: walk(self.read(now), path), self._value)
            if _is_own(item)
            else text
        )

    def remove(self, text: str, base: str | None) -> str:
        box = walk(self.read(text), self._path)
        item = box.find(NAME) if box else None
        if box is None or item is None or not _is_own(item):
            return text
        return self.prune(json_text.remove(text, box, item), self._path, base)


def _is_own(item: Item) -> bool:
    return item.value.find("command") is not None


def walk(node: Node, path: Sequence[str]) -> Node | None:
    """The value at `path` below `node`, None where there is none."""
    for key in path:
        item = node.find(key) if node.kind == "{" else None
        if item is None:
            return None
        node = item.value
    return node
