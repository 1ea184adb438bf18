"""The parts that Engrain adds to a host's files, renews and removes without touching the rest."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from engrain.adapters.hosts import json_text
from engrain.adapters.hosts.commands import hook_command, is_hook
from engrain.adapters.hosts.json_text import JsonItem, Node, parse

NAME = "engrain"


class Part(ABC):
    """One part of a text file. The methods raise ValueError for a text that its host can't read."""

    @abstractmethod
    def add(self, text: str) -> str:
        """Return `text` with this part as this installation writes it; `text` if it has it."""

    @abstractmethod
    def remove(self, text: str, base: str | None) -> str:
        """Return `text` without this part. `base` is the file before setup, None if there was
        none: what it had, even if empty, stays."""


@dataclass(frozen=True, slots=True)
class Whole(Part):
    """A file that is entirely ours, recognised by the line `mark`."""

    content: str
    mark: str

    def add(self, text: str) -> str:
        del text
        return self.content

    def remove(self, text: str, base: str | None) -> str:
        return (base or "") if self.mark in text else text


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart(Part):
    """A part of a JSON document whose root is an object. `comments`: the host reads JSONC."""

    comments: bool = False

    def read(self, text: str) -> Node:
        root = parse(text if text.strip("\ufeff \t\r\n") else "{}", comments=self.comments)
        if root.kind != "{":
            raise ValueError("its root is no object")
        return root

    def reach(self, text: str, path: Sequence[str], kind: str) -> tuple[str, Node, Node]:
        """Return (text, root, the container at `path`), with missing objects on the way added."""
        if not text.strip("\ufeff \t\r\n"):
            text += "{}\n"
        for depth, key in enumerate(path):
            root = self.read(text)
            box = walk(root, path[:depth])
            if box is not None and box.kind == "{" and box.find(key) is None:
                empty: object = {} if depth + 1 < len(path) or kind == "{" else []
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
        """Return `text` with the program of another installation replaced by ours in the object
        that `find` returns, and with missing values added; other values of the user stay."""
        # The value that names us goes first: it identifies a hook between two steps.
        in_args = "args" in values and NAME not in str(values["command"])
        program = ("args", "command") if in_args else ("command", "args")
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
                text = json_text.replace(text, root, box, item, values[key])
        return text

    def prune(self, text: str, path: Sequence[str], base: str | None) -> str:
        """Return `text` without the containers on `path` that are empty and not in `base`."""
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


@dataclass(frozen=True, slots=True)
class HostEntry(JsonPart):
    """A member called `engrain` of the object at `path`, such as the MCP servers.

    An entry without a command names an address: the user's own way to reach the server, which
    stays as it is.
    """

    path: Sequence[str]
    value: Mapping[str, object]

    def add(self, text: str) -> str:
        text, root, box = self.reach(text, self.path, "{")
        item = box.find(NAME)
        if item is None:
            return json_text.append(text, root, box, NAME, self.value)
        if item.value.find("command") is None:
            return text
        path = (*self.path, NAME)
        return self.renew(text, lambda now: walk(self.read(now), path), self.value)

    def remove(self, text: str, base: str | None) -> str:
        box = walk(self.read(text), self.path)
        item = box.find(NAME) if box else None
        if box is None or item is None or item.value.find("command") is None:
            return text
        return self.prune(json_text.remove(text, box, item), self.path, base)


def walk(node: Node, path: Sequence[str]) -> Node | None:
    """Return the value at `path` below `node`, None if there is none."""
    for key in path:
        item = node.find(key) if node.kind == "{" else None
        if item is None:
            return None
        node = item.value
    return node


Words: TypeAlias = "list[str]"


TIMEOUT = 10  # seconds; our own deadlines are far below


@dataclass(frozen=True, slots=True)
class Hooks(JsonPart):
    """Our command in the lists of the hooks' events.

    `events` maps the host's names to ours. `form` says how an entry is written: `exec` (program
    and arguments in a group), `line` (a shell line in a group) or `flat` (a shell line, no group).
    `second` is the number of the host's units of time in one second, `last` the limit at a
    session's end in seconds, None to keep the host's own. `name` is the name of our hooks that the
    host shows to its user, if any. `matchers` has for some of the host's events the patterns of the
    tools' names for which the hook is run, each with rules for calls: a call that meets none runs
    no hook, without rules every call runs it. `required` is a member that the host wants at the
    root. `shown` are the host's events after which it shows the command that was run.
    """

    host: str
    events: Mapping[str, str]
    form: str
    second: int = 1
    last: int | None = None
    name: str = ""
    matchers: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    required: tuple[str, object] | None = None
    shown: Sequence[str] = ()

    def add(self, text: str) -> str:
        if self.required:
            text, root, box = self.reach(text, (), "{")
            if box.find(self.required[0]) is None:
                text = json_text.append(text, root, box, *self.required)
        for name, event in self.events.items():
            text = self._add_event(text, name, event)
        return text

    def remove(self, text: str, base: str | None) -> str:
        text = self._cut(text, self.events, base)
        root = self.read(text)
        old = self.read_base(base)
        item = root.find(self.required[0]) if self.required else None
        if item is not None and (len(root.items) == 1 if old is None else not old.find(item.key)):
            text = json_text.remove(text, root, item)
        return text

    def installed(self, text: str) -> Iterator[tuple[str, str, Words | str]]:
        """Yield (the host's event, ours, the command as the file has it) of each hook of ours:
        words to run, or a line for the shell."""
        for name, event in self.events.items():
            for own in self._own(text, name, event):
                yield name, event, own.words if self.form == "exec" else own.words[0]

    def _cut(self, text: str, events: Mapping[str, str], base: str | None) -> str:
        for name, event in events.items():
            while found := next(self._own(text, name, event), None):
                text = json_text.remove(text, *found.outermost(matched=name in self.matchers))
                text = self.prune(text, ("hooks", name), base)
        return text

    def _add_event(self, text: str, name: str, event: str) -> str:
        words = hook_command(event, self.host, shown=name in self.shown)
        handler: dict[str, object] = {"name": self.name} if self.name else {}
        if self.form != "flat":
            handler["type"] = "command"
        if self.form == "exec":
            handler |= {"command": words[0], "args": words[1:]}
        else:
            handler["command"] = shlex.join(words)
        # A host has a shorter limit of its own at a session's end.
        if limit := self.last if event == "session-end" else TIMEOUT:
            handler["timeout"] = limit * self.second
        groups = self._make_groups(name, handler)
        wanted = sum(len(handlers) for _, handlers in groups)
        if sum(1 for _ in self._own(text, name, event)) < wanted:
            text = self._cut(text, {name: event}, text)
            for matcher, handlers in groups:
                text, root, box = self.reach(text, ("hooks", name), "[")
                entry: dict[str, object] = {} if matcher is None else {"matcher": matcher}
                entry |= handlers[0] if self.form == "flat" else {"hooks": handlers}
                text = json_text.append(text, root, box, None, entry)
            return text
        for at in range(wanted):
            text = self.renew(text, partial(self._find_handler, name, event, at), handler)
        return text

    def _make_groups(
        self, name: str, handler: dict[str, object]
    ) -> Sequence[tuple[str | None, list[dict[str, object]]]]:
        """Return the groups of handlers for an event, each with the pattern of its tools."""
        if name not in self.matchers:
            return [(None, [handler])]
        return [
            (matcher, [{**handler, "if": rule} for rule in rules] or [handler])
            for matcher, rules in self.matchers[name].items()
        ]

    def _find_handler(self, name: str, event: str, at: int, text: str) -> Node:
        return list(self._own(text, name, event))[at].item.value

    def _own(self, text: str, name: str, event: str) -> Iterator[_Own]:
        """Yield the hooks of ours for an event, of any installation."""
        entries = walk(self.read(text), ("hooks", name))
        if entries is None:
            return
        for entry in entries.items:
            box = entries if self.form == "flat" else walk(entry.value, ("hooks",))
            if box is None:
                continue
            for item in [entry] if self.form == "flat" else box.items:
                words = _read_words(item.value.read(text))
                if is_hook(words, event, self.host):
                    yield _Own(entries, entry, box, item, words)


def _read_words(handler: object) -> Words:
    """Return the command of a handler as the file has it, [] if it has none."""
    if not isinstance(handler, dict):
        return []
    args = handler.get("args")
    rest = args if isinstance(args, list) else []
    return [str(word) for word in [handler.get("command") or "", *rest]]


@dataclass(slots=True, eq=False)
class _Own:
    """A hook of ours: the event's list, its entry there, the list and the item of the handler,
    and the handler's command."""

    entries: Node
    entry: JsonItem
    box: Node
    item: JsonItem
    words: Words

    def outermost(self, *, matched: bool = False) -> tuple[Node, JsonItem]:
        """Return (the list, the item to remove): the whole group if it has nothing else, but a
        matcher where we write one (`matched`)."""
        others = [
            item for item in self.entry.value.items if not (matched and item.key == "matcher")
        ]
        alone = len(self.box.items) == 1 and len(others) == 1
        return (self.entries, self.entry) if alone else (self.box, self.item)
