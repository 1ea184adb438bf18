"""Files that can't be read as entries, made from a seed: each with the reason `doctor` gives."""

from __future__ import annotations

import random
from collections.abc import Callable

# The limits as they are promised, not as the code has them.
MAX_DEPTH = 16
MAX_FRONTMATTER = 64 * 1024
MAX_NOTE_BYTES = 512 * 1024

WORDS = (
    "anchor", "barrel", "canvas", "dynamo", "engine", "flange", "gasket", "hopper", "island",
    "jigsaw", "kettle", "ladder", "magnet", "nozzle", "oxygen", "pulley", "quartz", "rudder",
)  # fmt: skip


class Bad:
    """A file's bytes, the reason it can't be read for, and the line; None where any will do."""

    __slots__ = ("line", "raw", "reason")

    def __init__(self, raw: bytes | str, reason: str | None, line: int | None) -> None:
        self.raw = raw.encode() if isinstance(raw, str) else raw
        self.reason = reason
        self.line = line


class Draw:
    """What a file is made of, drawn anew for each."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.before = [f"key{n}: {self.word()}" for n in range(self.number(1, 5))]
        self.after = [f"tail{n}: {self.word()}" for n in range(self.number(0, 3))]
        self.body = f"# {self.word()}\n\n{self.word()} {self.word()}.\n"

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def word(self) -> str:
        return self.random.choice(WORDS)

    @property
    def line(self) -> int:
        """The file's line that `front` puts the lines it is given on."""
        return 2 + len(self.before)

    def front(self, *lines: str) -> str:
        """A note with these lines in the middle of its frontmatter."""
        return "\n".join(["---", *self.before, *lines, *self.after, "---", self.body])


def yaml_error(*lines: str) -> Callable[[Draw], Bad]:
    """A kind of which libyaml says by itself that it is wrong, on some line at or below."""
    return lambda draw: Bad(draw.front(*(line.format(draw.word()) for line in lines)), "yaml", None)


def refused(reason: str, below: int, *lines: str) -> Callable[[Draw], Bad]:
    """A kind that is refused at the line `below` the first of these."""
    return lambda draw: Bad(draw.front(*lines), reason, draw.line + below)


def unclosed(draw: Draw) -> Bad:
    return Bad("\n".join(["---", *draw.before, draw.body]), "unclosed", 1)


def unclosed_with_mark(draw: Draw) -> Bad:
    return Bad("\ufeff" + "\r\n".join(["---", *draw.before, "title: x", "--", ""]), "unclosed", 1)


def alias_bomb(draw: Draw) -> Bad:
    levels = [f"a0: &a0 [{draw.word()}, {draw.word()}]"]
    levels += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 30)]
    return Bad(draw.front(*levels), "alias", draw.line)


def deep_flow(draw: Draw) -> Bad:
    depth = draw.number(MAX_DEPTH, 4 * MAX_DEPTH)
    return Bad(draw.front("deep: " + "[" * depth + "]" * depth), "depth", draw.line)


def deeper_flow(draw: Draw) -> Bad:
    return Bad(draw.front("deep: " + "[" * draw.number(4_000, 9_000)), "depth", draw.line)


def deep_block(draw: Draw) -> Bad:
    lines = [f"{' ' * n}level{n}:" for n in range(MAX_DEPTH + draw.number(1, 9))]
    return Bad(draw.front(*lines, f"{' ' * 40}bottom"), "depth", draw.line + MAX_DEPTH - 1)


def nul_in_front(draw: Draw) -> Bad:
    return Bad(draw.front("title: a\0b"), "nul", draw.line)


def nul_in_body(draw: Draw) -> Bad:
    return Bad(f"# {draw.word()}\n\ntext\nand \0 more\n", "nul", 4)


def utf_16(order: str) -> Callable[[Draw], Bad]:
    mark = "\ufeff".encode(f"utf-16-{order}")
    return lambda draw: Bad(mark + draw.front("title: x").encode(f"utf-16-{order}"), "encoding", 1)


def utf_16_without_mark(draw: Draw) -> Bad:
    return Bad(draw.front("title: x").encode("utf-16-le"), "nul", 1)


def raw_bytes(*wrong: bytes) -> Callable[[Draw], Bad]:
    def make(draw: Draw) -> Bad:
        head = draw.front("title: x")
        return Bad(head.encode() + draw.random.choice(wrong), "encoding", head.count("\n") + 1)

    return make


def latin_in_front(draw: Draw) -> Bad:
    return Bad(draw.front("title: café").encode("latin-1"), "encoding", draw.line)


def too_large(draw: Draw) -> Bad:
    return Bad(b"# x\n" + b"a" * (MAX_NOTE_BYTES + draw.number(1, 999)), "too-large", None)


def front_too_large(draw: Draw) -> Bad:
    text = f"{draw.word()} " * (MAX_FRONTMATTER // 7 + draw.number(1, 99))
    return Bad(draw.front(f"text: {text}"), "frontmatter-too-large", None)


def binary(draw: Draw) -> Bad:
    return Bad(b"\xff\x00" + draw.random.randbytes(draw.number(100, 4_000)), None, None)


def duplicate_key(draw: Draw) -> Bad:
    between = [f"other{n}: 1" for n in range(draw.number(0, 3))]
    lines = ["title: one", *between, "title: two"]
    return Bad(draw.front(*lines), "duplicate-key", draw.line + len(lines) - 1)


def huge_key(draw: Draw) -> Bad:
    return Bad(draw.front(draw.word() * draw.number(300, 900) + ": value"), "yaml", None)


def not_a_mapping(*lines: str) -> Callable[[Draw], Bad]:
    def make(draw: Draw) -> Bad:
        draw.before, draw.after = [], []
        return Bad(draw.front(*lines), "not-a-mapping", 2)

    return make


KINDS: dict[str, Callable[[Draw], Bad]] = {
    "unclosed fence": unclosed,
    "unclosed fence, byte order mark, CRLF": unclosed_with_mark,
    "duplicate key": duplicate_key,
    "duplicate key below": refused("duplicate-key", 3, "source:", "  a: 1", "  b: 2", "  a: 3"),
    "duplicate key in a flow": refused("duplicate-key", 0, "source: {kind: a, kind: b}"),
    "alias bomb": alias_bomb,
    "anchor": refused("alias", 0, "title: &name x"),
    "alias of nothing": refused("alias", 0, "title: *name"),
    "merge key": refused("alias", 0, "base: &base {a: 1}", "<<: *base"),
    "deep flow": deep_flow,
    "deeper flow, never closed": deeper_flow,
    "deep block": deep_block,
    "NUL in the frontmatter": nul_in_front,
    "NUL in the body": nul_in_body,
    "UTF-16, little end": utf_16("le"),
    "UTF-16, big end": utf_16("be"),
    "UTF-16 without its mark": utf_16_without_mark,
    "Latin-1 in the frontmatter": latin_in_front,
    "Latin-1 in the body": raw_bytes(b"caf\xe9 au lait\n", b"\xa9 2026\n"),
    "half of a surrogate pair": raw_bytes(b"\xed\xa0\x80\n", b"\xed\xbf\xbf\n"),
    "overlong and cut off": raw_bytes(b"\xc0\xaf\n", b"\xe2\x82", b"\xf8\x88\x80\x80\x80\n"),
    "too large": too_large,
    "frontmatter too large": front_too_large,
    "binary": binary,
    "a list": not_a_mapping("- one", "- two"),
    "a sentence": not_a_mapping("just a sentence"),
    "a number": not_a_mapping("42"),
    "two documents": yaml_error("...", "%TAG ! tag:x,2000:", "second: {}"),
    "a directive": yaml_error("%YAML 9.9"),
    "tab as indentation": yaml_error("tags:", "\t- {}"),
    "indentation that jumps": yaml_error("a:", "    b: {}", "  c: 1"),
    "value beside a list": yaml_error("tags: [a]", "  - {}"),
    "colon upon colon": yaml_error("a: : {}"),
    "colons alone": yaml_error(": : :"),
    "no colon": yaml_error("{}", "and: more"),
    "double quote never closed": yaml_error('title: "never {}'),
    "single quote never closed": yaml_error("title: 'never {}"),
    "bracket never closed": yaml_error("tags: [a, {}"),
    "brace never closed": yaml_error("source: {{kind: {}"),
    "closed without opening": yaml_error("tags: a, {}", "more: ]"),
    "reserved sign": yaml_error("title: @{}"),
    "grave accent": yaml_error("title: `{}`"),
    "bad escape": yaml_error(r'title: "\q{}"'),
    "tag of no handle": yaml_error("title: !no!such {}"),
    "control character": yaml_error("title: be\x07ll {}"),
    "no character": yaml_error("title: \uffff {}"),
    "huge key": huge_key,
    "key that is a list": refused("key", 0, "? [a, b]", ": value"),
    "key that is a mapping": refused("key", 0, "{a: 1}: value"),
}


def make_bad(seed: int) -> tuple[str, Bad]:
    """Bad file number `seed`, with the name of its kind; the kinds take turns."""
    name = list(KINDS)[seed % len(KINDS)]
    return name, KINDS[name](Draw(seed))
