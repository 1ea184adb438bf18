"""The words of a statement as they are compared: inflections, and the ways of
writing a name, folded together."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_vocabulary import vocabulary

SUBJECT = "§"
SUFFIXES = vocabulary(
    """inc ltd llc gmbh corp corporation co company plc ag sa bv limited group holdings"""
)
ABBREVIATIONS = {
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
    "commence": "start", "purchase": "buy", "reside": "live", "adore": "love",
    "physician": "doctor", "spouse": "partner", "boss": "manager", "supervisor": "manager",
    "licence": "license",
}  # fmt: skip
_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty"""
NUMBER_WORDS = {
    word: number for number, word in enumerate(_UNITS.split())
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
     "ninety": 90, "hundred": 100, "single": 1, "dozen": 12}  # fmt: skip
_IRREGULAR = {
    form: base
    for line in (
        "be is are am was were been being", "have has had having", "do does did done doing",
        "go goes went gone going", "leave left", "quit quits", "take took taken", "get got gotten",
        "become became", "partner partnered partnership partnerships",
        "fear fears feared afraid scared terrified", "allergy allergic allergies",
        "begin began begun", "buy bought", "sell sold", "give gave given",
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
STOP = vocabulary(
    """a an the of to in on at for with by from as is are am was were be been being has have
    had do does did and or but so that this these those it its he she they his her their him
    them i me my we us our you your who which what there here very really quite just still
    currently now today presently nowadays actually basically mostly generally usually
    officially about around approximately roughly some any also too well then than into onto
    up out over will would shall s § 's per via already recently lately finally since each
    every one who's while own such much many more most both currently' herself himself
    themselves itself there's get got"""
)
"""Words that say nothing by themselves when statements are compared."""


def fold_word(word: str) -> str:
    """A word without its inflection, for comparison only."""
    return _fold(word.lower())


_NO_ADVERBS = vocabulary("""monthly quarterly biweekly fortnightly hourly""")


@lru_cache(maxsize=8192)
def _fold(word: str) -> str:
    word = word.removesuffix("'s").strip("'")
    word = _IRREGULAR.get(word, word)
    word = ABBREVIATIONS.get(word, word)
    word = _IRREGULAR.get(word, word)
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
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
    long = {key: value for key, value in ABBREVIATIONS.items() if not key.isalpha()}
    pattern = "|".join(map(re.escape, sorted(long, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I), long


def spell_out(text: str) -> str:
    """A text in lower case without abbreviations and signs."""
    words = re.sub(r"[,.;]", " ", _spell(text).lower()).split()
    return " ".join(ABBREVIATIONS.get(word, word) for word in words)


def _spell(text: str) -> str:
    pattern, long = _long_forms()
    return pattern.sub(lambda found: long[found.group().lower()], text)


def value_key(value: str) -> frozenset[str]:
    """A value as the set of its folded words; the same for all ways in which it is written."""
    words = content_words(value)
    kept = [word for word in words if word not in SUFFIXES]
    return frozenset(kept or words)
