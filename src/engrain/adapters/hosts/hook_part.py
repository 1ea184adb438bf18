"""Our commands among the hooks of a host that keeps them in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engrain.adapters.hosts import json_text
from engrain.adapters.hosts.commands import hook_command, is_hook, shell_line
from engrain.adapters.hosts.json_tree import Item, Node
from engrain.adapters.hosts.parts import JsonPart, walk

Words: TypeAlias = "list[str]"


TIMEOUT = 10  # seconds; our own deadlines are far below


class Hooks(JsonPart):
    """Our command in the lists of the hooks' events.

    `events` are the host's names and ours. `form` says how an entry is written: `exec` (program
    and arguments in a group), `line` (a shell line in a group) or `flat` (a shell line, no group).
    `second` is how many of the host's units of time make one second, `last` the limit at a
    session's end in seconds, None where the host's own stays. `name` is what the host calls our
    hooks before its user, if it does. `required` is a member that the host wants at the root,
    `retired` are events at which an earlier version had a hook.
    """

    def __init__(
        self,
        host: str,
        events: Mapping[str, str],
        *,
        form: str,
        second: int = 1,
        last: int | None = None,
        name: str = "",
        comments: bool = False,
        required: tuple[str, object] | None = None,
        retired: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(comments)
        self._host = host
        self._form = form
        self._second = second
        self._last = last
        self._name = name
        self._required = required
        self._retired = retired or {}
        self.events = events

    def add(self, text: str) -> str:
        if self._required:
            text, root, box = self.reach(text, (), "{")
            if box.find(self._required[0]) is None:
                text = json_text.append(text, root, box, *self._required)
        text = self._cut(text, self._retired, None)
        for name, event in self.events.items():
            text = self._add_event(text, name, event)
        return text

    def remove(self, text: str, base: str | None) -> str:
        text = self._cut(text, {**self._retired, **self.events}, base)
        root = self.read(text)
        old = self.read_base(base)
        item = root.find(self._required[0]) if self._required else None
        if item is not None and (len(root.items) == 1 if old is None else not old.find(item.key)):
            text = json_text.remove(text, root, item)
        return text

    def installed(self, text: str) -> Iterator[tuple[str, str, Words | str]]:
        """(the host's event, ours, the command as the file has it) of each hook of ours: words
        to run, or a line for the shell."""
        for name, event in self.events.items():
            for own in self._own(text, name, event):
                yield name, event, own.words if self._form == "exec" else own.words[0]

    def _cut(self, text: str, events: Mapping[str, str], base: str | None) -> str:
        for name, event in events.items():
            while found := next(self._own(text, name, event), None):
                text = json_text.remove(text, *found.outermost())
                text = self.prune(text, ("hooks", name), base)
        return text

    def _add_event(self, text: str, name: str, event: str) -> str:
        words = hook_command(event, self._host)
        handler = self._handler(words, event)
        if next(self._own(text, name, event), None) is None:
            text, root, box = self.reach(text, ("hooks", name), "[")
            entry: object = handler if self._form == "flat" else {"hooks": [handler]}
            return json_text.append(text, root, box, None, entry)
        return self.renew(text, lambda now: next(self._own(now, name, event)).item.value, handler)

    def _handler(self, words: Words, event: str) -> dict[str, object]:
        handler: dict[str, object] = {} if self._form == "flat" else {"type": "command"}
        if self._form == "exec":
            handler |= {"command": words[0], "args": words[1:]}
        else:
            handler["command"] = shell_line(words)
        # At the end a host has a limit of its own, and a shorter one.
        if limit := self._last if event == "session-end" else TIMEOUT:
            handler["timeout"] = limit * self._second
        return {"name": self._name, **handler} if self._name else handler

    def _own(self, text: str, name: str, event: str) -> Iterator[_Own]:
        """Each hook of ours for an event, of whichever installation."""
        entries = walk(self.read(text), ("hooks", name))
        for entry in entries.items if entries else ():
            hooks = entry.value.find("hooks")
            box = entries if self._form == "flat" else hooks and hooks.value
            for item in [entry] if self._form == "flat" else box.items if box else []:
                handler = item.value.read(text) if item.value.kind == "{" else None
                words = _words(handler) if isinstance(handler, dict) else []
                if entries and box and is_hook(words, event, self._host):
                    yield _Own(entries, entry, box, item, words)


@dataclass(slots=True, eq=False)
class _Own:
    """A hook of ours: the event's list, its entry there, the list and the item of the handler,
    and the handler's words."""

    entries: Node
    entry: Item
    box: Node
    item: Item
    words: Words

    def outermost(self) -> tuple[Node, Item]:
        """What goes with it: its group too, where the group has nothing else."""
        alone = len(self.box.items) == 1 and len(self.entry.value.items) == 1
        return (self.entries, self.entry) if alone else (self.box, self.item)


def _words(handler: Mapping[object, object]) -> Words:
    args = handler.get("args")
    command = handler.get("command")
    rest = args if isinstance(args, list) else []
    return [str(word) for word in [command or "", *rest]]
