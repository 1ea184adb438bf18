"""JSON changed in place: what is added is written as its neighbours are, the rest stays."""

from __future__ import annotations

import json
import re

from engrain.adapters.hosts.json_tree import Item, Node

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_REST = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)")


def append(text: str, root: Node, box: Node, key: str | None, value: object) -> str:
    """`text` with a member, or without a key an element, at the end of `box`."""
    style = _Style(text, root, box)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    added = label + style.render(value)
    if not box.items:
        inner = text[box.start + 1 : box.end - 1].rstrip()
        body = inner + style.before + added + style.behind
        return text[: box.start + 1] + body + text[box.end - 1 :]
    last = box.items[-1]
    at = last.comma or last.value.end
    rest = _LINE_REST.match(text, at)
    note = rest.group() if rest else ""
    between = style.before or " "
    if note and not style.before:
        between = style.newline  # or what is added would be part of the comment
    comma, trailing = ("", ",") if last.comma else (",", "")
    return text[:at] + comma + note + between + added + trailing + text[at + len(note) :]


def replace(text: str, root: Node, box: Node, key: str, value: object) -> str:
    """`text` with another value for a member that `box` has. Raises KeyError."""
    item = box.find(key)
    if item is None:
        raise KeyError(key)
    style = _Style(text, root, box)
    return text[: item.value.start] + style.render(value) + text[item.value.end :]


def remove(text: str, box: Node, item: Item) -> str:
    """`text` without an item of `box`; comments around it stay."""
    at = box.items.index(item)
    end = item.value.end
    if at + 1 < len(box.items):
        behind = box.items[at + 1].start
        if item.comma and _COMMENT.search(text[end:behind]):
            # Nothing but the item and its comma: what stands between is not ours.
            left = text[end : item.comma - 1] + text[item.comma :]
            return text[: item.start] + left.lstrip(" \t")
        return text[: item.start] + text[behind:]
    if not at:
        inner = text[box.start + 1 : item.start] + text[item.comma or end : box.end - 1]
        if not inner.strip():
            return text[: box.start + 1] + text[box.end - 1 :]
        return _close_up(text[: item.start], text[item.comma or end :])
    before = box.items[at - 1]
    gap = text[before.value.end : item.start]
    if not _COMMENT.search(gap):
        return text[: before.value.end] + text[end:]
    comma = (before.comma or before.value.end + 1) - before.value.end
    kept = gap if item.comma else gap[: comma - 1] + gap[comma:]
    return _close_up(text[: before.value.end] + kept, text[item.comma or end :])


def _close_up(left: str, right: str) -> str:
    """Both without the blank line between them, if that is safe: a comment may end `left`."""
    if right.lstrip(" \t")[:1] in ("\r", "\n"):
        left = left.rstrip()
    return left + right


class _Style:
    """How the neighbours of what is added are written: line ends, indentation, all on one line."""

    __slots__ = ("_indent", "_unit", "before", "behind", "newline")

    def __init__(self, text: str, root: Node, box: Node) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._unit = _first_unit(text, root)
        outer = _line_indent(text, box.start)
        if box.items:
            first = box.items[0].start
            self._indent = _line_indent(text, first)
            spread = "\n" in text[box.start : first]
        else:
            self._indent = outer + self._unit
            spread = not root.items or "\n" in text[root.start : root.end]
        self.before = self.newline + self._indent if spread else ""
        self.behind = self.newline + outer if spread else ""

    def render(self, value: object) -> str:
        if not self.before:
            return json.dumps(value, ensure_ascii=False)
        return _render(value, self._unit, self.newline + self._indent)


def _render(value: object, unit: str, line: str) -> str:
    """Members on lines of their own, but a list of plain values on one."""
    deeper = line + unit
    if isinstance(value, dict) and value:
        members = (
            f"{json.dumps(key, ensure_ascii=False)}: {_render(item, unit, deeper)}"
            for key, item in value.items()
        )
        return "{" + deeper + f",{deeper}".join(members) + line + "}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        elements = (_render(item, unit, deeper) for item in value)
        return "[" + deeper + f",{deeper}".join(elements) + line + "]"
    return json.dumps(value, ensure_ascii=False)


def _first_unit(text: str, root: Node) -> str:
    """The indentation of the first level."""
    if not root.items or "\n" not in text[root.start : root.items[0].start]:
        return "  "
    indent = _line_indent(text, root.items[0].start)
    return indent.removeprefix(_line_indent(text, root.start)) or "  "


def _line_indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]
