"""How a value stands beside its name: the marks of files and code, the words of a sentence, and
what passwords and keys are called in the languages that people write notes in.

A name is a regular expression in small letters; each needs a keyword that it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from engrain.language.lexicons import read_lists, read_words

MAX_VALUE = 256
"""Characters of a value behind a key that are looked at; what follows without a break goes too."""

NEAR = 72
"""Characters behind a name in a sentence, and before it, in which its value is looked for."""

AT = "at"
SEARCH = "search"
NAMED = "named"
"""How a rule is tried: at each of its keywords; anywhere in a text that has one of them; as the
name of a value, which a mark assigns to it or a sentence nearby gives."""


class Rule:
    """One kind of secret: the `pattern`, whose last group that matched is the secret, all of it
    where it has no group; and the `keywords` in lower case that a text must have. By `form`
    the pattern begins at a keyword (`AT`) or not (`SEARCH`), or is only the name of a value, which
    `sentences` finds behind a mark or close by (`NAMED`).

    `weigh` names what judges the value by itself and by what stands before it in the match.
    """

    __slots__ = ("form", "keywords", "name", "pattern", "weigh")

    def __init__(
        self, name: str, keywords: str, pattern: str, weigh: str = "token", form: str = AT
    ) -> None:
        self.name = name
        self.keywords = tuple(keywords.split("|"))
        self.pattern = pattern
        self.weigh = weigh
        self.form = form

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, which is compiled when a text first has a keyword of the rule."""
        return _compile(self.pattern)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


PASSWORDS = read_lists("secrets", "passwords")
"""Names of a password, by language. English ones are in `rules`: code has those too."""
SECRETS = read_lists("secrets", "secrets")
"""Names of a key or token, by language."""

LINKS = read_words("secrets", "words")["links"]
"""Words between a name and its value: behind one, a word with a digit is taken for the value."""

LINKS_JOINED = (
    "คือ", "是", "为", "為", "叫", "は", "が", "を", "를", "을", "는", "은", "이", "가",
)  # fmt: skip
"""The same in languages that write them without a blank before."""

AS = frozenset((
    "as", "is", "was", "als", "ist", "comme", "est", "como", "es", "come", "è", "é", "как", "это",
    "som", "är", "er", "jako", "to", "je", "olarak", "on", "là", "adalah", "ως", "είναι",
))  # fmt: skip
"""Words after a value that stand before its name: "use … as the password", "… is the password"."""

AS_JOINED = ("作为", "作為", "当作", "当", "做", "是", "を", "が", "は", "를", "을", "로", "으로")
"""The same in languages that write them without a blank."""


def joined(table: dict[str, tuple[str, ...]]) -> str:
    """Return the names of all languages as one alternation, long ones first."""
    names = {name for names in table.values() for name in names}
    return "|".join(sorted(sorted(names), key=len, reverse=True))


def openings(table: dict[str, tuple[str, ...]]) -> str:
    """Return the beginnings of the names before their first choice, as the keywords of a rule."""
    found = set()
    for names in table.values():
        for name in names:
            plain = name.partition("[")[0].partition("(")[0].partition("?")[0]
            found.add(plain[:-1] if name.startswith(f"{plain}?") else plain)
    return "|".join(sorted(found))


# What may stand around a mark: quotes, escapes, colours of a terminal, tags and entities.
_COLOUR = r"(?:\x1b|\\x1b|\\u001b|\\033|\\e)?\[[0-9;]{1,12}[mK]"
_AROUND = (
    rf"""(?:[ \t"'`*\])]|\\(?!u003)|&(?:quot|apos|#3[49]);|</?[a-zA-Z][^<>\n]{{0,60}}>|{_COLOUR})"""
)
_SIGN = r"(?:=>|:=|=3D|%3[ADad]|\\u003[ad]|==?|::?|->|→|：|＝|\||\t|value=)"
# Key, mark, value: the marks of JSON, YAML, environment files, tables and markdown around them.
MARK = (
    rf"(?:{_AROUND}{{0,40}}+{_SIGN}(?:[ \t*\\]|=20|%20|&quot;|{_COLOUR}|<[a-z]{{1,6}}>){{0,40}}+"
    r"""|["']?,?\s{1,40}+["']?(?i:value)["']?[ \t]{0,4}+[:=][ \t]{0,4}+"""  # name: …, value: …
    # <key type="x">value</key>, key { default = value
    r"""|(?:["']|\s[\w:]{1,20}="[^"<>\n]{0,40}"){0,3}+>(?=[^<>\n]{4,256}</)"""
    r"""|["']?[ \t]{0,4}+\{\s{0,20}+(?:\w{1,20} *= [^\n]{0,60}\n\s{0,20}+){0,4}"""
    r"""(?:default|value)[ \t]{0,20}+=[ \t]{0,4}+"""
    rf"""|["'],[ \t]{{0,2}}+(?=["'])|\(\\?(?=["'])|{_AROUND}{{0,4}}+<td[^<>\n]{{0,40}}>"""
    r"""|</\w{1,6}>[ \t:]{0,4}+<\w{1,6}>)"""  # f("token", "…")
)
_BARE = r"""[^\s"'`<>|,;\\\x00-\x1f]"""
# A sign that ends most values, where neither the next field nor a tag begins behind it.
_INSIDE = rf"[,;<>](?={_BARE})(?![\w .-]{{0,40}}[=:]|/?\w{{0,12}}>|/\w)"
VALUE = (
    rf'(?:[bru]?(?<!\\)"((?:[^"\n\\]|\\.){{4,{MAX_VALUE}}}+)'
    rf"|[bru]?(?<!\\)'((?:[^'\n\\]|\\.){{4,{MAX_VALUE}}}+)"
    rf'|"([^"\n\\]{{4,{MAX_VALUE}}}+)'
    rf"|'([^'\n\\]{{4,{MAX_VALUE}}}+)"
    rf"|`([^`\n]{{4,{MAX_VALUE}}}+)"
    rf"|((?:(?!&(?:quot|apos|amp);|=0[AD]|%0[ADad]|=\n){_BARE}|{_INSIDE}){{4,{MAX_VALUE}}}+))"
)

_TAIL = r"s?(?![a-z])[\w.-]{0,60}+"  # `PASSWORD_STAGING`, `token.prod`, and no `tokenizer`
_OF = r"(?: (?:for|of|on|in)(?: [\w.-]{1,40}+){1,3}+| \([^)\n]{1,40}+\))?+"


@cache
def compile_assigned() -> re.Pattern[str]:
    """Return the pattern of what stands behind a name that a mark gives a value."""
    return re.compile(_TAIL + _OF + MARK + VALUE)


_SAID = re.compile(r"(?:s|[ _-]token)?(?![A-Za-z0-9_]|[(=@}\]]|[ _-]key|\.\w)", re.IGNORECASE)
"""How a name ends in a sentence."""
_PASSED = re.compile(r"[ \t*`]{0,4}(?:[:|-]|->)")
_SHY = ("pass", "psk", "auth")
_OWNERS = ("my ", "the ", "your ", "root ", "sudo ", "admin ", "user ")
"""Names that are other words too, and what stands before them where they are none."""

# Printable ASCII without what ends a value, so that one ends where other letters go on.
WORD = r"[!#$%&*+\-./0-9:=?@A-Z\[\]^_a-z{}~]"
_WORD = re.compile(rf"(?<![A-Za-z0-9]){WORD}{{5,}}(?:[,;()](?={WORD}){WORD}+)*")
_WHOLE = re.compile(f"{WORD}+")
_SOFT = " \t\r\n\"'`«“„「『(*_\x1b[]"
"""What may stand around a value beside its mark."""
_MARKS = (":", "=", "：", "＝", "→", "->", "=>", "<-", " -", " –", " —", ": |", ": >", ":|", "'s",
          "’s")  # fmt: skip
_OPEN, _CLOSE = "\"'`«“„「(", "\"'`»”“」),;"
_ASIDE = ("(", "#", "//", "--")
"""After these a remark says what stands before them."""
_OTHERS = (
    "hash", "manager", "field", "policy", "file", "encod", "algorithm", "prompt", "store", "dialog",
)  # fmt: skip
"""Words behind a name that make it the name of something else."""
_MOST_BETWEEN, _MOST_LINES, _MOST_JOIN = 4, 4, 10
_PRINTABLE = "".join(map(chr, range(33, 127)))


def end_of_name(text: str, start: int, end: int) -> int:
    """Return where a name ends that a sentence may give the value of; 0 if it is part of another
    word, or another word itself."""
    name = text[start:end].lower()
    if name in _SHY and not text[max(0, start - 6) : start].lower().endswith(_OWNERS):
        return 0
    before = text[start - 1 : start]
    said = _SAID.match(text, end)
    return said.end() if said and not (before.isalpha() and before.isascii()) else 0


def is_outcome(text: str, start: int, end: int) -> bool:
    """Return whether `pass` is what a test or somebody does, as far as what stands around it shows:
    "PASS: name", "still pass: …"."""
    if text[start:end].lower() != "pass" or not _PASSED.match(text, end):
        return False
    before = text[max(0, start - 24) : start].lower()
    return text[start:end] == "PASS" or (
        before.endswith(" ") and before.strip()[-1:].isalnum() and not before.endswith(_OWNERS)
    )


def find_behind(text: str, name: int) -> Iterator[tuple[int, str, str]]:
    """Yield the words behind a name that ends at `name`, each with its place and the gap."""
    for word in _WORD.finditer(text, name, min(len(text), name + NEAR)):
        between = text[name : word.start()]
        if "\n" in between and not _goes_on(between):
            return
        value, start = word[0], word.start()
        if len(value) == NEAR - len(between):  # it was cut off where the look ends
            value = _WHOLE.match(text, start)[0]  # type: ignore[index]
        if between[-1:].isspace() and (plain := value.lstrip("*_")) != value:  # emphasis
            start += len(value) - len(plain)
            value = plain
        yield start, value, between


def _goes_on(between: str) -> bool:
    """Return whether a line ends so that the value may stand on one of the next."""
    first = between.partition("\n")[0].rstrip(" \t\r*_`")
    ends = not first or first.endswith((":", "：", "=", "|", ">", "-"))
    return ends and between.count("\n") <= _MOST_LINES


def is_linked(between: str) -> bool:
    """Return whether nothing but a mark, or a word that links a name to its value, stands last."""
    core = between.rstrip(_SOFT)
    if not core or core.endswith(_MARKS) or core.endswith(LINKS_JOINED):
        return True
    return core.rpartition(" ")[2].lower() in LINKS


def find_before(text: str, name: int, end: int) -> tuple[int, str] | None:
    """Return a value that stands before its name, as in "use … as the password", and its position;
    the name is `text[name:end]`. Return None if there is no such value."""
    first = max(0, name - NEAR - MAX_VALUE)
    first = max(first, text.rfind("\n", first, name) + 1)
    line = text[first:name]
    joint = line[-_MOST_JOIN:].lstrip(_PRINTABLE)
    if any(word in joint for word in AS_JOINED):
        line = f"{line[: len(line) - len(joint)]} ("
    words = line.split()
    at = _find_join(line, words)
    if not at or text[end : end + NEAR].lstrip("s ").startswith(_OTHERS):
        return None
    value = words[at - 1].rstrip(_CLOSE)
    value = value[max(value.rfind(mark) for mark in _OPEN) + 1 :]
    value = value[len(value.rstrip(_PRINTABLE)) :]
    start = line.rfind(value)
    return (first + start, value) if value and start >= 0 else None


def _find_join(line: str, words: list[str]) -> int:
    """Return the place of the word that joins a value to the name behind it; 0 for none."""
    if len(words) > 1 and words[-1] in _ASIDE and (line[-1] in " ("):
        return len(words) - 1
    for at in range(len(words) - 1, max(0, len(words) - 1 - _MOST_BETWEEN), -1):
        if words[at].lower() in AS:
            return at
    return 0
