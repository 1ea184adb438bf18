"""A statement in plain form: contractions written out, its subject as one sign, names as they are
written and every other word in lower case."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_lexicon import ROLES
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import STOP, SUBJECT, SUFFIXES
from engrain.model.predicates import find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - "})
_WRITTEN_OUT = tuple(
    (re.compile(pattern, re.I), meant)
    for pattern, meant in (
        (r"->|=>|⇒|➜|➡️?", " → "),
        (r"(?<=\s)@(?=\s)", "at"), (r"\bwon't\b", "will not"), (r"\b(can)(?:'t|not)\b", r"\1 not"),
        (r"\bshan't\b", "shall not"), (r"\bain't\b", "is not"),
        (r"\b(\w+)n't\b", r"\1 not"),
        (r"\b(he|she|it|that|there|who|what|here)'s\b(?= (?:been|got|gone|become|moved|taken|"
         r"changed|switched|left|quit|started|stopped|joined|\w+ed)\b)", r"\1 has"),
        (r"\b(he|she|it|that|there|who|what|here)'s\b", r"\1 is"),
        (r"\bI'm\b", "I am"), (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ve\b", r"\1 have"),
        (r"\b(\w+)'ll\b", r"\1 will"), (r"\b(he|she|it|they|we|you|I)'d\b", r"\1 would"),
        (r"\bany more\b", "anymore"), (r"\bno more\b", "no longer"),
        (r"\b(?:w/o)\b", "without"), (r"\bw/ ?", "with "), (r"\be\.g\.|\bi\.e\.", "for example"),
        (r"\b(mr|mrs|ms|dr|st|vs|approx|dept|no|inc|ltd|corp|co)\.(?= )", r"\1"),
    )
)  # fmt: skip
# After a name, 's before one of these is `is` or `has`.
_IS_AFTER = re.compile(
    rf"({SUBJECT}|[A-Z][\w-]*)'s (?=(?:a|an|the|not|no|now|been|still|just|also|back|off|in|at|on|"
    r"from|with|going|gone|got|become|become|moved|left|quit|working|living|based|vegan|vegetarian|"
    r"married|engaged|single|divorced|very|really|actually|currently|finally|officially|"
    r"allergic|\w+ing (?:at|in|for|to|on|with)|out|done|over|down|up|into|under|due|written|"
    r"built|hosted|never|always|already|\d+)(?![\w-]))"
)
_PRONOUN = re.compile(r"\b(?:he|she|they|it|him|them)\b", re.I)
_FIRST = re.compile(r"\b(?:I|me)\b")
_POSSESSIVE = re.compile(r"\b(?:his|her|hers|their|theirs|its|my)\b", re.I)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_PROPER = re.compile(r"[A-Z][\w.&+'/#-]*")


class Plain:
    """A sentence as it is compared: its `text`, and whether it asks."""

    __slots__ = ("asks", "text")

    def __init__(self, text: str, asks: bool) -> None:
        self.text = text
        self.asks = asks


def plain_sentences(content: str, names: Iterable[str]) -> list[Plain]:
    """The sentences of a statement, its subject and what stands for it as `§`, names as they are
    written and every other word in lower case."""
    text = " ".join(content[:2_000].translate(_MARKS).split())
    for name in _name_forms(tuple(names)):
        text = re.sub(rf"(?<![\w§]){re.escape(name)}(?![\w])", SUBJECT, text, flags=_flags(name))
    for pattern, meant in _WRITTEN_OUT:
        text = pattern.sub(meant, text)
    text = _IS_AFTER.sub(r"\1 is ", text)
    text = re.sub(rf"{SUBJECT}'(?!s\b)", f"{SUBJECT}'s", text)
    text = re.sub(rf"(?:{SUBJECT} )+{SUBJECT}(?!')", SUBJECT, text)
    plain = []
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        lowered = _PRONOUN.sub(SUBJECT, _lower(_FIRST.sub(SUBJECT, sentence)))
        lowered = _POSSESSIVE.sub(f"{SUBJECT}'s", lowered)
        plain.append(Plain(" ".join(lowered.split()), sentence.rstrip('" )').endswith("?")))
    return plain


def _flags(name: str) -> re.RegexFlag:
    return re.IGNORECASE if " " in name or len(name) > 3 else re.NOFLAG


@lru_cache(maxsize=256)
def _name_forms(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names and the parts by which people call those who have several, the longest first."""
    forms = {" ".join(name.split()) for name in names if name.strip()}
    for name in list(forms):
        parts = name.split()
        if len(parts) > 1:
            trimmed = [part for part in parts if part.lower().rstrip(".") not in SUFFIXES]
            forms.add(" ".join(trimmed) or name)
            people = len(parts) <= 3 and all(part[:1].isupper() for part in parts)
            if people:
                forms.update(part for part in trimmed if len(part) > 2 and part.isalpha())
    return tuple(sorted(filter(None, forms), key=lambda form: (-len(form), form)))


_STARTERS = vocabulary(
    """after before since because although though while when as if once until not no never
    turns update correction note fyi heads decision decided new old current currently now
    today yesterday last this that these those there here all both our we you everyone
    everybody people someone word good bad great big long finally officially apparently
    recently lately still just also and but or so then instead rather only even moved
    switched changed renamed dropped ditched replaced swapped sold bought left quit joined
    started stopped got gave had has have is are was were been does did do will would can
    could should might must the a an in on at for with by from to of off out up down over
    under per via deadline budget status owner lead team launch release price headcount boss
    manager employer job role title home address phone email birthday favourite favorite
    diet breakfast lunch dinner coffee tea works worked lives lived uses used runs plays
    likes loves hates prefers drives owns eats drinks speaks studies teaches going went done
    ships shipped shipping due meeting standup meetings retro sync weekly daily monthly rent
    salary what who how why where which total version repo database backend frontend hosting
    hq headquarters office ceo cto cfo coo founder chief vp head director every each most
    many some any one two three four five six seven eight nine ten work development heard
    told said saw met spoke"""
)


def _lower(sentence: str) -> str:
    """Every word but names in lower case. The first word counts as a name unless it is common."""
    words = sentence.split(" ")
    first = True
    for at, word in enumerate(words):
        bare = word.strip("\"'([{.,;:!?)")
        if not bare:
            continue
        if first:
            head = bare.partition("'")[0].lower().rstrip(",.:;")
            common = head in _STARTERS or head in STOP or head.endswith(("ing", "ed", "ly"))
            follows = words[at + 1].strip(",.:;") if at + 1 < len(words) else ""
            common = (
                common
                or "-" in head
                or follows in ("of", "that", "about")
                or _is_noun(head)
                or (follows.islower() and _is_noun(follows))
            )
            name = bare[:1].isupper() and not common and not _is_title(bare)
            if not name and (_is_title(bare) or not (len(bare) > 1 and bare.isupper())):
                words[at] = word.lower()
        elif (
            bare[:1].isupper()
            and _PROPER.match(bare)
            and (not _is_title(bare) or _in_name(words, at))
        ):
            pass
        else:
            inner = any(char.isupper() for char in bare[1:]) and not _is_title(bare)
            words[at] = word if inner else word.lower()
        first = word.endswith(":")
    return " ".join(words)


@lru_cache(maxsize=4096)
def _is_noun(word: str) -> bool:
    """Whether a word names a relation or a trade: it is no name, and none stands before it."""

    return word in ROLES or (
        word.isalpha() and word not in _VERBAL and find_predicate(word) is not None
    )


_VERBAL = vocabulary(
    """uses has makes sells loves enjoys hates dislikes drives manages leads supervises attends
    attending reports owns joined met bought knows speaks costs works lives prefers weekly"""
)
_TITLED = vocabulary(
    """senior junior staff principal lead head chief engineer engineering manager director
    officer president vice designer developer product software data scientist analyst sales
    marketing operations monday tuesday wednesday thursday friday saturday sunday january
    february april june july august september october november december jan feb apr jun jul
    aug sep sept oct nov dec executive financial technology backend frontend customer
    success support consultant teacher professor nurse associate vegetarian vegan ceo cto
    cfo coo cmo vp pm hq"""
)


def _is_title(word: str) -> bool:
    """Whether a word in capitals is none that names somebody: a title, a month."""
    return word.lower().removesuffix("'s").rstrip(".,") in _TITLED


_OF_NAMES = vocabulary(
    """financial technology customer operations product data software marketing sales success
    support general head nurse partner executive engineering"""
)


def _in_name(words: list[str], at: int) -> bool:
    """Whether a word that may be of a title stands in a name: "the Financial Times"."""
    if words[at].lower() not in _OF_NAMES:
        return False
    beside = [words[place].strip(",.;:") for place in (at - 1, at + 1) if 0 <= place < len(words)]
    return any(word[:1].isupper() and not _is_title(word) for word in beside)
