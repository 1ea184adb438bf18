"""A note: bytes split into frontmatter and body, so that joining gives the same bytes (S1.10); how
its frontmatter is read and patched; and its id.

A byte order mark, the fences, CRLF and everything unknown stay where they were.

Most notes have that form, and libyaml takes ten times as long for them, and longer still to load.
The fields, values and offsets are those of `reader`, which reads all other forms.

Reading goes through libyaml's events, never through constructors: no aliases, no anchors, no
duplicate keys, a bounded depth and size, and scalars by the YAML 1.2 core schema (so `NO`,
`12:30:45` and dates stay text). Writing never re-serialises: a changed field replaces its own span,
so that unknown keys, comments, order and line ends survive byte for byte.

Ids are 26 characters of Crockford's base 32: 48 bits of milliseconds, ten of microseconds and 70
random bits, so that ids sort by creation and two devices never make the same one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from engrain.model.errors import MalformedError, UsageError
from engrain.model.note.field import BREAKS, MAX_FRONTMATTER, Field, Value, resolve_scalar

_KEY = r"[A-Za-z_][\w-]{0,99}"
_QUOTED = r'"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*)"'
_WORD = r"[\w./+,'()-]+(?::[\w./+,'()-]+)*"
_LINE = re.compile(
    rf"({_KEY}): (?:((?=[^\W_]){_WORD}(?: {_WORD})*)|{_QUOTED}|([\[{{].*[\]}}]))(?:\n|\Z)"
)
# In a flow collection a colon separates a key from its value, and a comma two items.
_ITEM = rf"(?:{_QUOTED}|([^\W_][\w./+-]*(?: [\w./+-]+)*))"
_ITEMS = re.compile(_ITEM)
_PAIR = rf"({_KEY}): {_ITEM}"
_MAPS = rf"\{{{_PAIR}(?:, {_PAIR})*\}}"

READERS: list[Callable[[str], dict[str, Field]]] = []
"""Who reads frontmatter of other forms: the wiring adds `reader.read_fields`, and loads it then."""


def parse_fields(text: str) -> dict[str, Field]:
    """Return the top-level fields of frontmatter, in order. Raises MalformedError with the reason
    and the line of the file."""
    fields = read_plain(text)
    return READERS[0](text) if fields is None else fields


def read_plain(text: str) -> dict[str, Field] | None:
    """Return the top-level fields of frontmatter as `read_fields` does, None for a text of another
    form, whether valid or not."""
    if len(text) > MAX_FRONTMATTER:
        return None
    fields: dict[str, Field] = {}
    at = 0
    while at < len(text):
        found = _LINE.match(text, at)
        if found is None:
            return None
        key, plain, quoted, flow = found.groups()
        if key in fields:
            return None
        value: Value = quoted
        if plain is not None:
            value = resolve_scalar(plain)
        elif flow is not None and (value := _read_flow(flow)) is None:
            return None
        colon, end = at + len(key) + 1, found.end()
        fields[key] = Field(value, at, colon, colon + 1, end - (text[end - 1] == "\n"))
        at = end
    return fields


def _read_flow(text: str) -> Value:
    """Return a list or mapping of scalars, or a list of such mappings; None for anything else."""
    if text[0] == "{":
        return _read_map(text)
    if text == "[]":
        return []
    if text.startswith("[{"):
        maps = [_read_map(found[0]) for found in _split_flow(re.compile(_MAPS), text, "]")]
        return [*maps] if maps and None not in maps else None
    return [_resolve(*found.groups()) for found in _split_flow(_ITEMS, text, "]")] or None


def _read_map(text: str) -> dict[str, Value] | None:
    """Return a mapping of scalars, None if it has a key twice."""
    pairs = [found.groups() for found in _split_flow(re.compile(_PAIR), text, "}")]
    found = {str(key): _resolve(quoted, plain) for key, quoted, plain in pairs}
    return found if found and len(found) == len(pairs) else None


def _split_flow(item: re.Pattern[str], text: str, end: str) -> list[re.Match[str]]:
    """Return the items between two brackets, [] if there is anything else."""
    items: list[re.Match[str]] = []
    at = 1
    while found := item.match(text, at):
        items.append(found)
        at = found.end()
        if text[at:] == end:
            return items
        if not text.startswith(", ", at):
            break
        at += 2
    return []


def _resolve(quoted: str | None, plain: str | None) -> Value:
    return resolve_scalar(plain) if plain else quoted or ""


# Words that some YAML reader takes for a boolean, null or number: always quoted.
_QUOTED_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_NUMBER_LIKE = re.compile(r"[0-9][0-9a-fA-FxXoOeE_.+-]*\Z")
_PLAIN = re.compile(r"\A[^\W_][\w./+-]*(?: [\w./+-]+)*\Z")
_INSTANT = r"([0-9]{4})-([01][0-9])-([0-3][0-9])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?\Z"
_PLAIN_KEY = re.compile(r"[a-z_]{1,24}\Z")
_UNPRINTABLE = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"
_SURROGATE = "[\ud800-\udfff]"

_WRITTEN: dict[str, str] = {}
"""A cache of short texts as YAML: keys and kinds recur in every note."""
_MOST_WRITTEN, _SHORT = 256, 24

_LINE_WITH_END = re.compile(r"[^\n]*\n|[^\n]+")
_REST_OF_LINE = f"[ \t]*(?:#[^{BREAKS}]*)?(?:\r?\n|\\Z)"


def render_value(value: Value) -> str:
    """Return `value` as YAML on one line, quoted if any reader might misunderstand it.

    Raises UsageError for values that would not read back: infinities, numbers of over 18 digits,
    and lone surrogates, which come from an argument that was not UTF-8.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        number = repr(value)
        if resolve_scalar(number) != value:
            raise UsageError(f"not a number that can be kept: {number}")
        return number
    if isinstance(value, list):
        return "[" + ", ".join(render_value(item) for item in value) + "]"
    if isinstance(value, dict):
        items = (f"{render_value(key)}: {render_value(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    written = _WRITTEN.get(value)
    if written is None:
        written = _render_text(value)
        if len(_WRITTEN) >= _MOST_WRITTEN:
            _WRITTEN.clear()
        if len(value) <= _SHORT:
            _WRITTEN[value] = written
    return written


def _render_text(value: str) -> str:
    plain = _PLAIN.match(value) and value.lower() not in _QUOTED_WORDS
    if (plain and not _NUMBER_LIKE.match(value)) or _is_instant(value):
        return value
    if not value.isascii() and re.search(_SURROGATE, value):
        raise UsageError(f"not text: {value[:60]!r}", remedy="give text in UTF-8")
    quoted = json.dumps(value, ensure_ascii=False)
    if quoted.isascii() and "\x7f" not in quoted:
        return quoted
    return re.sub(_UNPRINTABLE, lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _is_instant(text: str) -> bool:
    """Whether `text` is an existing date, or one with a time: other readers fail on other dates."""
    if text[4:5] != "-" or not (found := re.match(_INSTANT, text)):
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= days[month - 1]


def render_fields(fields: Mapping[str, Value], eol: str = "\n") -> tuple[str, dict[str, Field]]:
    """Return fresh frontmatter, one line per field, and the fields as `parse_fields` returns them,
    so that a composed note need not be parsed. Raises UsageError for what would not read back."""
    text = ""
    spans = {}
    for key, value in fields.items():
        name, rendered = render_value(key), render_value(value)
        colon = len(text) + len(name) + 1
        spans[key] = Field(value, len(text), colon, colon + 1, colon + 1 + len(rendered))
        text += f"{name}: {rendered}{eol}"
    if len(text) > MAX_FRONTMATTER:
        raise UsageError(f"fields of {len(text)} characters are over {MAX_FRONTMATTER}")
    return text, spans


def remove_fields(text: str, fields: Iterable[Field]) -> str:
    """Return `text` without the lines of these fields. A field that shares its lines with other
    text stays, so that nothing can hide from the substance in a counter's line."""
    spans = (own_lines(text, field) for field in fields)
    for start, end in sorted((span for span in spans if span), reverse=True):
        text = text[:start] + text[end:]
    return text


def own_lines(text: str, field: Field) -> tuple[int, int] | None:
    """Return where the lines of a field begin and end, None if they contain anything else."""
    rest = re.compile(_REST_OF_LINE).match(text, field.value_end)
    alone = not field.start or text[field.start - 1] in BREAKS
    return (field.start, rest.end()) if alone and rest else None


def patch_fields(
    text: str,
    changes: Mapping[str, Value],
    removed: Iterable[str],
    eol: str,
    fields: dict[str, Field] | None = None,
) -> str:
    """Return `text` with the fields of `changes` set, those of `removed` gone, and the rest
    untouched. `fields` are those of the text, if they have been read already.

    Raises MalformedError when the text is a flow mapping or otherwise can't be patched safely:
    unless each field has its own line and the new values are flat, the result is parsed again and
    must have the wanted values.
    """
    fields = parse_fields(text) if fields is None else fields
    dropped = {key for key in removed if key in fields}
    out = text
    for start, end, new in sorted(_edits(text, fields, changes, dropped), reverse=True):
        out = out[:start] + new + out[end:]
    first = next(iter(fields.values()), None)
    line = text[first.start : first.colon] if first else ""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    added = "".join(
        f"{indent}{render_value(key)}: {render_value(value)}{eol}"
        for key, value in changes.items()
        if key not in fields
    )
    out += (eol if added and out and out[-1] != "\n" else "") + added
    if _has_plain_lines(text, fields, changes.values()) and len(out) <= MAX_FRONTMATTER:
        return out
    wanted = {key: field.value for key, field in fields.items() if key not in dropped}
    wanted.update(changes)
    if not _same(_read_values(out), wanted):
        raise MalformedError(
            "frontmatter is written in a form that can't be changed",
            reason="unpatchable",
            remedy="write it with one `key: value` a line",
        )
    return out


def _is_flat(value: Value) -> bool:
    """Whether a value has no other values in it but texts and numbers, in a list or by plain
    names."""
    inside = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and all(map(_PLAIN_KEY.match, value)):
        inside = [*value.values()]
    return not any(isinstance(item, list | dict) for item in inside)


def _has_plain_lines(text: str, fields: Mapping[str, Field], new: Iterable[Value]) -> bool:
    """Whether a text has a line `key: value` for each field and nothing else, and the new values
    are flat, so that a line which is replaced or added can't change how another one is read."""
    if not all(map(_is_flat, new)):
        return False
    at = 0
    for field in fields.values():
        line = text[at : field.value_end]
        apart = text[field.colon - 1 : field.value_start] == ": " and not line[:1].isspace()
        if field.start != at or not apart or not line.isprintable():
            return False
        at = field.value_end + 1
        if text[field.value_end : at] not in ("\n", ""):
            return False
    return at >= len(text)


def _edits(
    text: str, fields: Mapping[str, Field], changes: Mapping[str, Value], dropped: Iterable[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield (begin, end, new text) of each field that is changed or removed."""
    for key, value in changes.items():
        if key in fields and not _same(fields[key].value, value):
            yield _replace_value(text, fields[key], render_value(value))
    for key in dropped:
        if lines := own_lines(text, fields[key]):
            yield (*lines, "")


def _read_values(text: str) -> dict[str, Value] | None:
    try:
        return {key: field.value for key, field in parse_fields(text).items()}
    except MalformedError as error:
        if error.reason == "frontmatter-too-large":
            raise
        return None


def _same(one: Value, other: Value) -> bool:
    """Whether two values are equal and of one type: `1`, `1.0` and `true` differ."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def _replace_value(text: str, field: Field, rendered: str) -> tuple[int, int, str]:
    between = text[field.colon : field.value_start]
    if "\n" not in between and "\r" not in between:
        space = "" if between[-1:] in (" ", "\t") else " "
        return field.value_start, field.value_end, space + rendered
    # The value begins on a later line: it moves up behind its key, and comments stay. (Within a
    # text a line with # is no comment.)
    block = isinstance(field.value, list | dict)
    head, *rest = _LINE_WITH_END.findall(
        text, field.colon, field.value_end if block else field.value_start
    )
    comments = "".join(line for line in rest if line.lstrip().startswith("#"))
    eol = head[len(head.rstrip("\r\n")) :]
    trailing = head.rstrip("\r\n")
    kept = (eol + comments.rstrip("\r\n")) if comments else ""
    return field.colon, field.value_end, f" {rendered}{trailing.rstrip()}{kept}"


MAX_NOTE_BYTES = 512 * 1024
"""Larger files are reported and left alone: one note is one fragment."""

COUNTERS = (
    "recall_count", "last_recalled", "sessions_since_recall", "weight", "updated",
    "usage_count", "success_count", "failure_count", "last_used",
)  # fmt: skip
"""Fields that recall, use and time change by themselves; the rest is the substance."""

RELATED, DRAWN = "related", "# drawn by engrain"
"""The field with typed links as wikilinks, and the mark behind it: it is derived, and so no part of
the substance. Without the mark it is a person's."""

_BOM = "\ufeff"


def hash_bytes(raw: bytes) -> str:
    """Return the SHA-256 in hex, by which compare-and-swap identifies a file's bytes."""
    return sha256(raw).hexdigest()


class Note:
    """The parts of one file, which joined are its bytes.

    `head` is the byte order mark and the opening fence, `front` the frontmatter's text, `fence`
    the closing fence, `body` the rest. Without frontmatter the first three are empty.
    """

    __slots__ = ("_fields", "body", "fence", "front", "head")

    document: Mapping[str, Any] = MappingProxyType({})
    """The object of a record, empty for any other note."""
    own: Mapping[str, Value] = document
    """The fields of an entry that stand beside a record's object, empty for any other note."""

    def __init__(
        self, head: str, front: str, fence: str, body: str, fields: dict[str, Field] | None = None
    ) -> None:
        self.head = head
        self.front = front
        self.fence = fence
        self.body = body
        self._fields = fields

    @property
    def raw(self) -> bytes:
        """The file's bytes."""
        return (self.head + self.front + self.fence + self.body).encode()

    @property
    def eol(self) -> str:
        """The line end of the note."""
        sample = self.head if self.fence else self.body
        return "\r\n" if "\r\n" in sample else "\n"

    @property
    def fields(self) -> dict[str, Value]:
        """The frontmatter's values. Raises MalformedError with line and reason."""
        return {key: field.value for key, field in self._spans().items()}

    def written(self, key: str) -> str:
        """Return a field's value as the file has it: as numbers `1.10` and `007` lose digits."""
        field = self.span(key)
        return self.front[field.value_start : field.value_end]

    def span(self, key: str) -> Field:
        """Return a field with the offsets of its text."""
        return self._spans()[key]

    def _spans(self) -> dict[str, Field]:
        if self._fields is None:
            self._fields = parse_fields(self.front)
        return self._fields

    @property
    def draws(self) -> bool:
        """Whether its field `related` is derived from its typed links."""
        if DRAWN not in self.front or (field := self._spans().get(RELATED)) is None:
            return False
        items = field.value if isinstance(field.value, list) else [None]
        links = all(isinstance(one, str) and one[:2] + one[-2:] == "[[]]" for one in items)
        return links and self.front[field.value_end :].lstrip(" \t").startswith(DRAWN)

    def mark_drawn(self) -> Note:
        """Return the note with the comment `DRAWN` behind its field `related`, instead of what
        stood there."""
        end = self._spans()[RELATED].value_end
        line = _line_end(self.front, end)
        rest = self.front[line:]
        return Note(self.head, f"{self.front[:end]} {DRAWN}{self.eol}{rest}", self.fence, self.body)

    def patch(self, changes: Mapping[str, Value], removed: Iterable[str] = ()) -> Note:
        """Return the note with some fields set and others removed, and the rest untouched."""
        if self.fence:
            front = patch_fields(self.front, changes, removed, self.eol, self._spans())
            return Note(self.head, front, self.fence, self.body)
        mark = _BOM if self.body.startswith(_BOM) else ""
        body = self.body[len(mark) :]
        fence = "---" + self.eol
        front, spans = render_fields(changes, self.eol)
        return Note(mark + fence, front, fence, body, spans)

    def with_body(self, body: str) -> Note:
        """Return the note with another body, written with the note's own line ends."""
        mark = _BOM if not self.fence and self.body.startswith(_BOM) else ""
        lines = body.removeprefix(mark).replace("\r\n", "\n").replace("\n", self.eol)
        return Note(self.head, self.front, self.fence, mark + lines)

    def substance(self, besides: Iterable[str] = ()) -> str:
        """Return the hash of the bytes without the counters and the fields named `besides`."""
        skipped = {*COUNTERS, *besides, *([RELATED] if self.draws else [])}
        fields = [field for key, field in self._spans().items() if key in skipped]
        front = remove_fields(self.front, fields)
        if not front and not self.body.startswith("---"):
            # A counter given to a note without frontmatter adds the fences too.
            mark = _BOM if self.head.startswith(_BOM) else ""
            return hash_bytes((mark + self.body).encode())
        return hash_bytes((self.head + front + self.fence + self.body).encode())


def split_note(raw: bytes) -> Note:
    """Split the bytes of a markdown file; the frontmatter itself is read on first use.

    Raises MalformedError for a file that is no text, is too large, or never closes its frontmatter.
    """
    text = decode_file(raw)
    mark = len(_BOM) if text.startswith(_BOM) else 0
    opening = _line_end(text, mark)
    if text[mark:opening].rstrip() != "---":
        return Note("", "", "", text)
    at = opening - 1
    while (at := text.find("\n---", at)) >= 0:
        at += 1
        end = _line_end(text, at)
        if text[at:end].rstrip() == "---":
            return Note(text[:opening], text[opening:at], text[at:end], text[end:])
    raise MalformedError("frontmatter is opened and never closed", reason="unclosed", line=1)


def decode_file(raw: bytes) -> str:
    """Return the text of a file's bytes. Raises MalformedError if it is no text, or too large."""
    if len(raw) > MAX_NOTE_BYTES:
        raise MalformedError(
            f"file of {len(raw)} bytes is over the limit of {MAX_NOTE_BYTES}",
            reason="too-large",
            remedy="split the note",
        )
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise MalformedError("file is UTF-16, not UTF-8", reason="encoding", line=1)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedError("file is not UTF-8", reason="encoding", line=line) from None
    if (zero := text.find("\0")) >= 0:
        line = text.count("\n", 0, zero) + 1
        raise MalformedError("file holds a NUL character", reason="nul", line=line)
    return text


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def compose_note(fields: Mapping[str, Value], body: str) -> Note:
    """Return a fresh note."""
    front, spans = render_fields(fields)
    return Note("---\n", front, "---\n", body, spans)


BRANCH = "~"
"""Separates, in a chain's name, the device from the mark of a branch: the records of another
installation with the same id."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 26


def encode(number: int, length: int) -> str:
    """Return `number` in Crockford's base 32, most significant first, in `length` characters."""
    return "".join(_ALPHABET[number >> 5 * at & 31] for at in reversed(range(length)))


def make_id(at: float, entropy: bytes) -> str:
    """Return the id of something created at `at` (epoch seconds), from 10 random bytes.

    An id is a ULID: 48 bits of milliseconds, then 80 bits. The first ten of these 80 count the
    microseconds of the millisecond (RFC 9562, section 6.2, method 3) and 70 are random, so the ids
    of two entries that are saved within one millisecond are in the order of the saves.
    """
    microseconds = max(0, round(at * 1_000_000))
    milliseconds, rest = divmod(microseconds, 1000)
    random = int.from_bytes(entropy[:10], "big") & ((1 << 70) - 1)
    return encode((milliseconds & ((1 << 48) - 1)) << 80 | rest << 70 | random, ID_LENGTH)


def path_id(path: str) -> str:
    """Return the id of a note without one, derived from its path, so that it changes with a move.
    It begins with `z`, as no time-ordered id does before the year 10000."""
    digest = bytes.fromhex(hash_bytes(path.encode(errors="surrogatepass")))
    return "z" + encode(int.from_bytes(digest[:15], "big"), ID_LENGTH - 1)


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id made here."""
    return len(text) == ID_LENGTH and not text.strip(_ALPHABET)


def is_branch(chain: str) -> bool:
    """Whether a chain branches off another one, because two installations wrote with one id."""
    return BRANCH in chain


def base_device(chain: str) -> str:
    """Return the device whose id is in the records of a chain: a branch has that of its chain."""
    return chain.partition(BRANCH)[0]
