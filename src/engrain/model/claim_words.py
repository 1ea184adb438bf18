"""The words of a statement as they are compared: contractions written out, its subject as one sign,
inflections and ways of writing a name, a number or a date folded together."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SUBJECT = "§"

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - "})
_WRITTEN_OUT = tuple(
    (re.compile(pattern, re.I), meant)
    for pattern, meant in (
        (r"->|=>|⇒|➜|➡️?", " → "),
        (r"\bwon't\b", "will not"), (r"\b(can)(?:'t|not)\b", r"\1 not"),
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
_SUFFIXES = frozenset(
    "inc ltd llc gmbh corp corporation co company plc ag sa bv limited group holdings".split()
)
_ABBREVIATIONS = {
    "nyc": "new york", "new york city": "new york", "ny": "new york", "sf": "san francisco",
    "la": "los angeles", "dc": "washington", "uk": "united kingdom", "usa": "united states",
    "us": "united states", "u.s.": "united states", "u.k.": "united kingdom", "uae": "emirates",
    "swe": "software engineer", "pm": "product manager", "em": "engineering manager",
    "dev": "developer", "sr": "senior", "jr": "junior", "vp": "vice president",
    "ceo": "chief executive officer", "cto": "chief technology officer", "js": "javascript",
    "ts": "typescript", "py": "python", "golang": "go", "postgresql": "postgres",
    "psql": "postgres", "pg": "postgres", "k8s": "kubernetes", "gcp": "google cloud",
    "vscode": "vs code", "visual studio code": "vs code", "mongodb": "mongo", "gh": "github",
    "reactjs": "react", "react.js": "react", "vue.js": "vue", "node.js": "node", "nodejs": "node",
    "amazon web services": "aws", "programmer": "developer", "bike": "bicycle", "tv": "television",
    "apt": "apartment", "flat": "apartment", "movie": "film", "automobile": "car",
    "kids": "children", "kid": "child", "vegetarianism": "vegetarian", "veganism": "vegan",
    "veggie": "vegetarian", "&": "and", "mum": "mother", "mom": "mother", "dad": "father",
    "phd": "doctorate", "uni": "university", "favorite": "favourite", "color": "colour",
    "ms teams": "teams", "microsoft teams": "teams", "soccer": "football", "info": "information",
    "docs": "documents", "repo": "repository", "prod": "production", "staff": "employees",
    "every week": "weekly", "every day": "daily", "every month": "monthly", "begin": "start",
    "commence": "start", "purchase": "buy", "reside": "live", "adore": "love", "physician": "doctor",
    "spouse": "partner", "boss": "manager", "supervisor": "manager", "licence": "license",
}  # fmt: skip
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
     "ninety": 90, "hundred": 100, "single": 1, "dozen": 12}  # fmt: skip
_IRREGULAR = {
    form: base
    for line in (
        "be is are am was were been being", "have has had having", "do does did done doing",
        "go goes went gone going", "leave left", "quit quits", "take took taken", "get got gotten",
        "become became", "partner partnered partnership partnerships", "fear fears feared afraid scared terrified", "allergy allergic allergies", "begin began begun", "buy bought", "sell sold", "give gave given",
        "make made", "run ran", "eat ate eaten", "drink drank drunk", "drive drove driven",
        "speak spoke spoken", "say said", "tell told", "know knew known", "grow grew grown",
        "hold held", "keep kept", "find found", "lead led", "build built", "write wrote written",
        "ride rode ridden", "teach taught", "win won", "lose lost", "pay paid", "send sent",
        "bring brought", "think thought", "wear wore worn", "swim swam", "sing sang", "meet met",
        "sleep slept", "wake woke woken", "rise rose risen", "fall fell fallen", "see saw seen",
        "child children", "person people", "wife wives", "man men", "woman women", "life lives",
        "use used", "like liked", "live lived", "move moved", "hate hated", "love loved",
    )
    for base, *forms in (line.split(),)
    for form in forms
}  # fmt: skip
_IRREGULAR["lives"] = "live"
STOP = frozenset(
    """a an the of to in on at for with by from as is are am was were be been being has have had do
    does did and or but so that this these those it its he she they his her their him them i me my
    we us our you your who which what there here very really quite just still currently now today
    presently nowadays actually basically mostly generally usually officially about around
    approximately roughly some any also too well then than into onto up out over will would shall
    s § 's per via already recently lately finally since each every one who's while own such
    much many more most both currently' herself himself themselves itself there's get got""".split()
)
"""Words that say nothing by themselves when statements are compared."""


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
            trimmed = [part for part in parts if part.lower().rstrip(".") not in _SUFFIXES]
            forms.add(" ".join(trimmed) or name)
            people = len(parts) <= 3 and all(part[:1].isupper() for part in parts)
            if people:
                forms.update(part for part in trimmed if len(part) > 2 and part.isalpha())
    return tuple(sorted(filter(None, forms), key=lambda form: (-len(form), form)))


_STARTERS = frozenset(
    """after before since because although though while when as if once until not no never
    turns update correction note fyi heads decision decided new old current currently now today
    yesterday last this that these those there here all both our we you everyone everybody people
    someone word good bad great big long finally officially apparently recently lately still just
    also and but or so then instead rather only even moved switched changed renamed dropped ditched
    replaced swapped sold bought left quit joined started stopped got gave had has have is are was
    were been does did do will would can could should might must the a an in on at for with by
    from to of off out up down over under per via deadline budget status owner lead team launch
    release price headcount boss manager employer job role title home address phone email birthday
    favourite favorite diet breakfast lunch dinner coffee tea works worked lives lived uses used
    runs plays likes loves hates prefers drives owns eats drinks speaks studies teaches going went
    done ships shipped shipping due meeting standup meetings retro sync weekly daily monthly rent
    salary what who how why where which total version repo database backend frontend hosting
    hq headquarters office ceo cto cfo coo founder chief vp head director every each most many
    some any one two three four five six seven eight nine ten work development heard told said saw met spoke apparently""".split()
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
            common = common or "-" in head or follows in ("of", "that", "about") or _is_noun(head) or (follows.islower() and _is_noun(follows))
            name = bare[:1].isupper() and not common and not _is_title(bare)
            if not name and (_is_title(bare) or not (len(bare) > 1 and bare.isupper())):
                words[at] = word.lower()
        elif bare[:1].isupper() and _PROPER.match(bare) and (
            not _is_title(bare) or _in_name(words, at)
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
    from engrain.model.claim_lexicon import ROLES
    from engrain.model.predicates import find_predicate

    return word in ROLES or (word.isalpha() and word not in _VERBAL and find_predicate(word) is not None)


_VERBAL = frozenset(
    """uses has makes sells loves enjoys hates dislikes drives manages leads supervises attends
    attending reports owns joined met bought knows speaks costs works lives prefers weekly""".split()
)
_TITLED = frozenset(
    """senior junior staff principal lead head chief engineer engineering manager director officer
    president vice designer developer product software data scientist analyst sales marketing
    operations monday tuesday wednesday thursday friday saturday sunday
    january february april june july august september october november december
    jan feb apr jun jul aug sep sept oct nov dec executive financial technology backend
    frontend customer success support consultant teacher professor nurse associate vegetarian
    vegan ceo cto cfo coo cmo vp pm hq""".split()
)


def _is_title(word: str) -> bool:
    """Whether a word in capitals is none that names somebody: a title, a month."""
    return word.lower().removesuffix("'s").rstrip(".,") in _TITLED


_OF_NAMES = frozenset(
    """financial technology customer operations product data software marketing sales success support
    general head nurse partner executive engineering""".split()
)


def _in_name(words: list[str], at: int) -> bool:
    """Whether a word that may be of a title stands in a name: "the Financial Times"."""
    if words[at].lower() not in _OF_NAMES:
        return False
    beside = [words[place].strip(",.;:") for place in (at - 1, at + 1) if 0 <= place < len(words)]
    return any(word[:1].isupper() and not _is_title(word) for word in beside)


def fold_word(word: str) -> str:
    """A word without its inflection, for comparison only."""
    return _fold(word.lower())


_NO_ADVERBS = frozenset("monthly quarterly biweekly fortnightly hourly".split())


@lru_cache(maxsize=8192)
def _fold(word: str) -> str:
    word = word.removesuffix("'s").strip("'")
    word = _IRREGULAR.get(word, word)
    word = _ABBREVIATIONS.get(word, word)
    word = _IRREGULAR.get(word, word)
    if word in _NUMBERS:
        return str(_NUMBERS[word])
    if len(word) < 4 or not word.isalpha():
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and re.search("[aeiouy]", stem):
            if stem[-1] == stem[-2] and stem[-1] not in "lsz":
                stem = stem[:-1]
            return stem.removesuffix("e")
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ly") and len(word) > 6 and word not in _NO_ADVERBS:
        return word[:-2].removesuffix("e")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


_WORD = re.compile(r"§|\d+(?:[.,:/]\d+)*(?:%|(?:st|nd|rd|th)\b)?|[^\W\d_][\w'&+#.-]*|[$€£]|→")


def words_of(text: str) -> list[str]:
    """The words of plain text, as they stand."""
    return [word.rstrip(".'-&") or word for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """The folded words of plain text that say something, in their order."""
    told = []
    for word in words_of(_spell(text)):
        if word.lower() in STOP or word == SUBJECT:
            continue
        folded = fold_word(word)
        if folded not in STOP:
            told.extend(folded.split())
    return told


@lru_cache(maxsize=1)
def _long_forms() -> tuple[re.Pattern[str], dict[str, str]]:
    long = {key: value for key, value in _ABBREVIATIONS.items() if not key.isalpha()}
    pattern = "|".join(map(re.escape, sorted(long, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I), long


def spell_out(text: str) -> str:
    """A text in lower case without abbreviations and signs."""
    words = re.sub(r"[,.;]", " ", _spell(text).lower()).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


def _spell(text: str) -> str:
    pattern, long = _long_forms()
    return pattern.sub(lambda found: long[found.group().lower()], text)


def value_key(value: str) -> frozenset[str]:
    """A value as the set of its folded words; the same for all ways in which it is written."""
    words = content_words(value)
    kept = [word for word in words if word not in _SUFFIXES]
    return frozenset(kept or words)


_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b"),
    re.compile(rf"\b(?P<mon>{_MONTH})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
               r"(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon>{_MONTH})\b\.?"
               r"(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(r"\bq(?P<q>[1-4])\b(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(rf"\b(?P<mon>{_MONTH})\b\.?(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(r"\b(?:the )(?P<d>\d{1,2})(?:st|nd|rd|th)\b", re.I),
    re.compile(r"\b(?P<y>(?:19|20)\d\d)\b"),
)  # fmt: skip


class Day:
    """A date as far as it is given; None for what is not."""

    __slots__ = ("day", "month", "quarter", "weekday", "year")

    def __init__(
        self,
        year: int | None,
        month: int | None,
        day: int | None,
        quarter: int | None = None,
        weekday: int | None = None,
    ) -> None:
        self.year = year
        self.month = month
        self.day = day
        self.quarter = quarter
        self.weekday = weekday

    def _parts(self) -> tuple[int | None, ...]:
        quarter = (self.month + 2) // 3 if self.month else self.quarter
        return self.year, quarter, self.month, self.day, self.weekday

    def differs(self, other: Day) -> bool:
        """Whether a part that both give is another."""
        pairs = zip(self._parts(), other._parts(), strict=True)
        return any(one is not None and two is not None and one != two for one, two in pairs)

    def same(self, other: Day) -> bool:
        """Whether they agree, the year apart where one leaves it out."""
        return not self.differs(other) and self._parts()[1:] == other._parts()[1:]


def read_day(text: str) -> Day | None:
    """The first date in a text."""
    lower = text.lower()
    for pattern in _DATES:
        if found := pattern.search(lower):
            parts = found.groupdict()
            month = parts.get("m") or _MONTHS.get(parts.get("mon") or "")
            return Day(*(int(part) if part else None for part in
                         (parts.get("y"), month, parts.get("d"), parts.get("q"))))  # fmt: skip
    for number, name in enumerate(WEEKDAYS):
        if re.search(rf"\b{name}s?\b", lower):
            return Day(None, None, None, None, number)
    return None


_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?P<n>\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"\s?(?P<mag>k|m|mm|bn|b|thousand|million|billion|mio)?(?P<pc>\s?%| percent| per cent)?(?![\w:])",
    re.I,
)
_MAGNITUDES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6,
               "b": 1e9, "bn": 1e9, "billion": 1e9}  # fmt: skip
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.h](\d\d))?\s?(am|pm|a\.m\.|p\.m\.)|\b(\d{1,2}):(\d\d)\b", re.I)
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_NUMBERS)})\b", re.I)


def read_clock(text: str) -> int | None:
    """The first time of day in a text, in minutes."""
    text = re.sub(r"\bnoon\b", "12:00", text, flags=re.I)
    if not (found := _CLOCK.search(text)):
        return None
    if found[4]:
        return int(found[4]) * 60 + int(found[5])
    hour = int(found[1]) % 12 + (12 if found[3].lower().startswith("p") else 0)
    return hour * 60 + int(found[2] or 0)


def read_number(text: str) -> float | None:
    """The first number in a text, however it is written; None for none."""
    text = _NUMBER_WORD.sub(lambda found: str(_NUMBERS[found.group().lower()]), text)
    if not (found := _NUMBER.search(text)):
        return None
    digits = found["n"].replace(",", "").replace("'", "")
    if digits.count(".") > 1:
        return None
    return float(digits) * _MAGNITUDES.get((found["mag"] or "").lower(), 1)


def numbers_of(text: str) -> frozenset[str]:
    """All digits of a text, as they are compared: two that say the same have the same."""
    text = _NUMBER_WORD.sub(lambda found: str(_NUMBERS[found.group().lower()]), text)
    found = set()
    for match in _NUMBER.finditer(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)):
        number = read_number(match.group())
        found.add(match["n"] if number is None else f"{number:g}")
    return frozenset(found)
