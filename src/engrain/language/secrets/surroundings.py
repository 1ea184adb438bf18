"""Whether a value is part of code, of markup or of a sentence, by its own signs and by what stands
between it and the name that it may belong to.

The signs are those of code, test logs, changelogs and documentation that were read line by line.
Every pattern takes time linear in what it is given: at most a value's beginning, or the few
characters between a name and a value.
"""

from __future__ import annotations

import re

_CALLS = re.compile(
    # f(x, obj.method(, $self->name, A::b, @decorator, @($x, $x[0, {+NAME, (?:a|b), C<name>, a => b
    r"[$@%&!*_]{0,2}[A-Za-z_][\w.:]{2,60}\((?:[\w$&\"'({\[@\\*.)]|\Z)"
    r"|[$@%&]{0,2}[\w.:]{0,60}(?:->|::)[\w${(\[@]"
    r"|@[A-Za-z][A-Za-z_.-]{0,60}(?:\(|\Z)|[@$%]{1,2}[({]|[$@%]{1,2}[A-Za-z_]\w{0,60}[\[{/]"
    r"|\?[A-Za-z][\w -]{0,60}\Z|[^\s]{0,80}\(\?[:=!<P]|[A-Z]<[$\w]|[A-Za-z_][\w ]{0,40}\)\$?/"
)
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,40}=(?=[^\s=])")
"""Of a call, of a header, of a command: `rounds=200000`, `charset=utf-8`."""
_MARKUP = re.compile(
    r"#[A-Za-z][A-Za-z_/-]{0,80}\d?\Z"  # a tag or an anchor
    r"|&(?:#x?[0-9A-Fa-f]{1,6}|quot|lt|gt|amp|apos|nbsp);?"  # an entity
    r"|[A-Za-z]{1,20}#\d[\d,#A-Za-z]{0,40}\Z"  # Bug#123, PKCS#12
    r"|[A-Za-z]{1,20}[&@#][a-z]{1,20}\Z"  # cut&paste, user@site
    r"|[\w.+-]{1,64}@[A-Za-z][\w-]{0,40}(?:\.[A-Za-z][\w-]{0,40}){1,5}\Z"  # an address
    r"|[\w*./-]{0,80}\.(?:pub|js|ts|py|pl|md|rs|go|rb|sh|c|h|so|o|txt|json|ya?ml|toml|html?)\Z"
    r"|[\w./*-]{0,80}/[\w.*-]{1,80}\*|[*.]{1,2}/"  # a pattern of paths
    r"|[A-Za-z_-]{2,40}(?::[A-Za-z_-]{2,40}){0,3}:?<[A-Za-z_ -]{1,40}>?\Z"  # chat:<id>
    r"|(?:\$\(|`)[a-z]{2,20}[)`]"  # a command
    r"|[\w.-]{0,40}(?:25519|448|-sha\d{1,3}|-cbc|-gcm|CBC-HS\d{3})[\w.@-]{0,40}\Z"  # an algorithm
)
_QUESTION = re.compile(r"[A-Za-z]{1,40}\?\Z|[A-Za-z]{1,40}[\]\[()]{1,4}\Z")
_WRITTEN_END = re.compile(
    r"\\[nrt](?![A-Z0-9])|&(?:#x?[0-9A-Fa-f]{1,6}|quot|lt|gt|apos|nbsp)(?:;|\Z)"
)
"""What ends a value in text within a string, or in a page: a new line, an entity."""
_LOCAL_ONLY = re.compile(
    r"[a-z]{1,4}\Z|\d{1,4}\Z|[a-z]{0,8}(?:password|secret)\Z|(?:pserver:)?anon\w{0,20}\Z"
)
_COMMAND = re.compile(r"[a-z]{2,20}\d{1,2}[a-z]{0,20}\Z")
_SPELLED = re.compile(r"[A-Z]?[a-z]{3,40}")
_UNSPEAKABLE = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
_KEY_LINES = re.compile(r"[A-Za-z0-9+/=]{16}|Proc-Type|Version|Comment")

_VOWELS = frozenset("aeiouy")
_OTHER_KEY = re.compile(
    r"[\"'][\w.-]{1,60}\\?[\"']\s{0,2}:\s{0,2}\\?[\"']?\Z|[{,]\s{0,2}\w{1,40}:\s{0,2}[\"']\Z"
    r"|(?<![\w.-])[A-Za-z_][\w.-]{0,40}=[\"'`]?\Z"
)
"""`"requestId":"` or `id="` right before a value: the value is that key's."""
_METHOD = re.compile(r"\.\w{1,40}\(\\?[\"']?\Z")
_FILE = re.compile(r"\.[a-z]{1,5}:\d")
_GETTERS = ("get_", "set_", "has_", "check_", "verify_", "delete_", "find_", "get", "encode_")
_IN_ADDRESS = re.compile(r"://[^\s?#&=\"'<>]{0,110}\Z")
_BLOB = re.compile(r"[A-Za-z0-9+/]{40}\Z")
_GROUPS = frozenset((
    "able", "also", "area", "away", "back", "been", "call", "case", "code", "come", "data", "does",
    "done", "down", "each", "else", "even", "ever", "file", "find", "for ", "form", "from", "full",
    "gets", "give", "goes", "good", "hand", "have", "help", "here", "high", "hold", "home", "idea",
    "into", "item", "just", "keep", "kind", "know", "last", "left", "less", "like", "line", "list",
    "long", "look", "made", "make", "many", "more", "most", "much", "must", "name", "need", "next",
    "none", "note", "once", "only", "open", "other", "over", "part", "pass", "same", "save", "seen",
    "self", "send", "show", "side", "some", "such", "sure", "take", "test", "text", "than", "that",
    "them", "then", "they", "this", "time", "type", "upon", "used", "user", "uses", "very", "want",
    "well", "were", "what", "when", "will", "with", "word", "work", "your", "year",
))  # fmt: skip
"""Words of four letters that sentences have: of four drawn groups hardly one is among them."""


def cut_end(value: str) -> str:
    """Return a value up to what ends it in text that is written within a string or a page."""
    return _WRITTEN_END.split(value, maxsplit=1)[0]


def is_code(value: str) -> bool:
    """Return whether a value is an expression of code, or a mark of a page or a note."""
    return bool(_CALLS.match(value) or _MARKUP.match(value) or _QUESTION.match(value))


def is_argument(value: str) -> bool:
    """Return whether a word of a sentence is a name with its own value."""
    return bool(_ARGUMENT.match(value))


def is_command(value: str) -> bool:
    """Return whether a word on a line of its own is the name of a program: `zip2john`."""
    return bool(_COMMAND.match(value))


def is_wordy(value: str) -> bool:
    """Return whether most letters of a value are in words, as in a name of code."""
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdecimal, value))
    words = [word for word in _SPELLED.findall(value) if len(word) > 3]
    words = [word for word in words if not _UNSPEAKABLE.search(word)]
    spelled = sum(len(word) for word in words if not _VOWELS.isdisjoint(word.lower()))
    return digits * 6 <= letters and spelled * 5 >= letters * 3


def has_key(block: str) -> bool:
    """Return whether the beginning of a private key has anything of a key in it."""
    return bool(_KEY_LINES.search(block))


def is_for_show(value: str) -> bool:
    """Return whether the password of a URL is too short to be one, or says that it is one."""
    return bool(_LOCAL_ONLY.match(value.replace("%20", "").replace("my", "", 1)))


def is_sentence(groups: str) -> bool:
    """Return whether four groups of four letters are words of a sentence."""
    return not _GROUPS.isdisjoint(groups.split())


def is_apart(text: str, start: int, end: int, value: int) -> bool:
    """Return whether a value that a mark joins to the name from `start` to `end` is not the
    name's: a call of its method, a place in a file, a regular expression, encoded data."""
    between = text[end:value]
    if _METHOD.search(between) or _FILE.search(between) or "(?" in text[start - 60 : value + 60]:
        return True
    before = text[max(0, start - 40) : start]
    if before.endswith(_GETTERS) and "(" in between:
        return True
    return bool(_BLOB.search(before))


def is_anothers(text: str, start: int, between: str) -> bool:
    """Return whether a word behind a name that begins at `start`, in the same sentence, has a key
    of its own, or the name is a variable that is only used."""
    before = text[max(0, start - 120) : start]
    if before.endswith("$") or _IN_ADDRESS.search(before):
        return True
    return bool(_BLOB.search(before) or _OTHER_KEY.search(between))
