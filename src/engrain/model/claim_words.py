"""Words as they are compared: inflections and ways of writing a name folded together."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_numbers import NUMBERS

SUBJECT = "§"
"""Stands for the subject of a statement."""
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
    "ts": "typescript", "py": "python", 
    "psql": "postgres", "pg": "postgres", "k8s": "kubernetes", "gcp": "google cloud",
    "vscode": "vs code", "visual studio code": "vs code", "mongodb": "mongo", "gh": "github",
    "reactjs": "react", "react.js": "react", "vue.js": "vue", "node.js": "node", "nodejs": "node",
    "amazon web services": "aws", "programmer": "developer", "bike": "bicycle", "tv": "television",
    "apt": "apartment", "flat": "apartment", "movie": "film", "automobile": "car",
    "kids": "children", "kid": "child", "vegetarianism": "vegetarian", "veganism": "vegan",
    "veggie": "vegetarian", "&": "and", "mum": "mother", "mom": "mother", "dad": "father",
    "phd": "doctorate", "uni": "university", "favorite": "favourite", "color": "colour",
    "ms teams": "teams", "microsoft teams": "teams", "soccer": "football", "info": "information",
    "docs": "documents", "repo": "repository", "prod": "production",
    "every week": "weekly", "every day": "daily", "every month": "monthly", "begin": "start",
    "commence": "start", "purchase": "buy", "adore": "love", "physician": "doctor",
    "spouse": "partner", "enjoy": "like", "enjoys": "like", "love": "like", "loves": "like", "loathe": "hate", "loathes": "hate",
    "detest": "hate", "dislike": "hate", "dislikes": "hate", "despise": "hate", "boss": "manager", "supervisor": "manager", "licence": "license",
}  # fmt: skip
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
        "break broke broken", "outgrow outgrew outgrown", "withdraw withdrew withdrawn", "choose chose chosen", "fly flew flown", "freeze froze frozen",
        "hear heard", "sit sat", "stand stood", "throw threw thrown", "tear tore torn",
        "catch caught", "feel felt", "lay laid", "mean meant", "shrink shrank shrunk", "tie tied tying",
        "die died dying dies", "wind wound", "come came", "put puts putting", "hit hits", "let lets letting",
        "shut shuts", "set sets setting", "cut cuts cutting", "split splits", "swear swore sworn", "light lit",
        "sink sank sunk", "steal stole stolen", "forget forgot forgotten", "rewrite rewrote rewritten",
        "undergo underwent", "understand understood", "overtake overtook", "spend spent", "sign signed signs",
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
WORD = re.compile(
    r"§|\S+@\S+\.\w+|(?:https?://)?[\w-]+(?:\.[\w-]+)+/\S*|[$€£]|'s\b"
    r"|\d+(?:[.,:/'-]\d+)*(?:%|[^\W\d_]+)?|[^\W\d_](?:[\w&+#]|['./-](?=\w))*"
    r"|\.[A-Za-z]\w*(?:\.\w)?|[,:;()→=?!-]"
)
"""A word, a number, an address, or a sign between them."""


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
    if word in NUMBERS:
        return str(NUMBERS[word])
    if len(word) < 4 or not word.isalpha():
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
    if word.endswith(("ies", "ied")):
        return word[:-3] + ("y" if len(word) > 4 else "ie")
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


@lru_cache(maxsize=8192)
def content_of(low: str) -> str:
    """The folded form of a word that says something, "" of one that does not."""
    if low in STOP or not low[0].isalnum():
        return ""
    folded = fold_word(low)
    return "" if folded in STOP else folded


def content_words(text: str) -> frozenset[str]:
    """The folded words of a text that say something."""
    return frozenset(word for each in WORD.findall(text.lower()) if (word := content_of(each)))


def value_key(value: str) -> frozenset[str]:
    """A value as the set of its folded words; the same for all ways in which it is written."""
    words = content_words(value)
    return (words - _SUFFIXES - _TITLES) or words


_TITLES = frozenset(("dr", "mr", "ms", "mrs"))


def spell_out(text: str) -> str:
    """A text in lower case without abbreviations and signs."""
    words = re.sub(r"[,.;]", " ", text.lower()).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


def without_suffix(parts: list[str]) -> list[str]:
    """The words of a company's name but for its legal form."""
    return [part for part in parts if part.lower().rstrip(".") not in _SUFFIXES]
