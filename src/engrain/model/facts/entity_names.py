"""Names of people, companies and projects: cleaned, and compared (S4.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from engrain.language.text.folding import drop_invisible, fold
from engrain.model.errors import UsageError

MOST_NAME = 100
"""Characters of a name."""
_MOST_WORDS = 12
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[\[\]<>`*|{}\\/\"“”«»\x00-\x1f\x7f-\x9f]+")
_APART = re.compile(r"[\s_\-.,'’()]+")
_TITLES = frozenset(("mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "herr", "frau"))
# Legal forms, as they end the name of a company.
_FORMS = frozenset(
    ("ab", "ag", "aps", "as", "asa", "bv", "co", "company", "corp", "corporation", "gmbh", "inc",
     "incorporated", "kg", "limited", "llc", "llp", "ltd", "lp", "nv", "oy", "oyj", "plc", "pty",
     "sa", "sarl", "sas", "se", "spa", "srl")
)  # fmt: skip


def clean_entity_name(name: str) -> str:
    """A name as it may stand in a document: without links, markup and control characters, on one
    line. Raises UsageError for what names nobody."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError("a name is not valid Unicode", remedy="give it in UTF-8") from None
    text = _LINK.sub(lambda found: found[1] or found[2] or "", normalize("NFC", name))
    if "://" in text:
        raise UsageError(
            f"{name[:40]!a} is an address, not a name", remedy="name the person, company or project"
        )
    text = " ".join(drop_invisible(_MARKUP.sub(" ", text)).split()).strip(" -_.,;:#'’")
    if not any(map(str.isalnum, text)):
        raise UsageError(
            f"{name[:40]!a} names nobody", remedy="give the name of a person, company or project"
        )
    if len(text) > MOST_NAME or text.count(" ") >= _MOST_WORDS:
        raise UsageError(
            f"{text[:40]!r} … is no name: {len(text)} characters",
            remedy=f"give up to {MOST_NAME} characters and {_MOST_WORDS} words",
        )
    return text


def name_key(name: str) -> str:
    """What two ways to write one name share: case, blanks and points make no difference, nor does
    the @ of a handle or how somebody is addressed."""
    words = [word for word in _APART.sub(" ", fold(name).removeprefix("@")).split() if word]
    if len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return " ".join(words)


def bare_key(name: str) -> str:
    """The key of a company's name without its legal form."""
    words = name_key(name).split()
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return " ".join(words)


def has_form(name: str) -> bool:
    """Whether a name ends in a legal form, as only companies' do."""
    return bare_key(name) != name_key(name)


def first_name(name: str) -> str:
    """The key of the first of several words of a name, "" where it is one word, an initial or an
    address."""
    words = name_key(name).split()
    return words[0] if len(words) > 1 and len(words[0]) > 1 and "@" not in name else ""


def is_said_by(name: str, names: Sequence[str]) -> bool:
    """Whether a name is one of some, however it is written."""
    key = name_key(name)
    return any(name_key(other) == key for other in names)
