"""Words as they are compared: inflections and ways of writing a name folded together."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.text.numbers import NUMBERS
from engrain.language.text.vocabulary import vocabulary

SUBJECT = "§"
"""Stands for the subject of a statement."""
_SUFFIXES = vocabulary(
    """inc ltd llc gmbh corp corporation co company plc ag sa bv limited group holdings"""
)
_SHORT = """
new york: nyc, new york city, ny; san francisco: sf; los angeles: la; washington: dc; united
kingdom: uk, u.k.; united states: usa, us, u.s.; emirates: uae; software engineer: swe; product
manager: pm; engineering manager: em; developer: dev, programmer; senior: sr; junior: jr; vice
president: vp; chief executive officer: ceo; chief technology officer: cto; javascript: js;
typescript: ts; python: py; postgres: psql, pg; kubernetes: k8s; google cloud: gcp; vs code:
vscode, visual studio code; mongo: mongodb; github: gh; react: reactjs, react.js; vue: vue.js;
node: node.js, nodejs; aws: amazon web services; bicycle: bike; television: tv; apartment: apt,
flat; film: movie; car: automobile; children: kids; child: kid; vegetarian: vegetarianism, veggie;
vegan: veganism; and: &; mother: mum, mom; father: dad; doctorate: phd; university: uni;
favourite: favorite; colour: color; teams: ms teams, microsoft teams; football: soccer;
information: info; documents: docs; repository: repo; production: prod; weekly: every week; daily:
every day; monthly: every month; start: begin, commence; buy: purchase; love: adore; doctor:
physician; partner: spouse; like: enjoy, enjoys, love, loves; hate: loathe, loathes, detest,
dislike, dislikes, despise; manager: boss, supervisor; license: licence
"""
_ABBREVIATIONS = {
    short.strip(): " ".join(long.split())
    for line in _SHORT.split(";")
    for long, _, listed in (line.partition(":"),)
    for short in " ".join(listed.split()).split(",")
}
"""By a short or another form of a word the one by which it is compared."""
_FORMS = """
be is are am was were been being; have has had having; do does did done doing; go goes went gone
going; leave left; quit quits; take took taken; get got gotten; become became; partner partnered
partnership partnerships; fear fears feared afraid scared terrified; allergy allergic allergies;
begin began begun; buy bought; sell sold; give gave given; make made; run ran; eat ate eaten;
drink drank drunk; drive drove driven; speak spoke spoken; say said; tell told; know knew known;
grow grew grown; hold held; keep kept; find found; lead led; build built; write wrote written;
ride rode ridden; teach taught; win won; lose lost; pay paid; send sent; bring brought; think
thought; wear wore worn; swim swam; sing sang; meet met; sleep slept; wake woke woken; rise rose
risen; fall fell fallen; see saw seen; child children; person people; wife wives; man men; woman
women; life lives; break broke broken; outgrow outgrew outgrown; withdraw withdrew withdrawn;
choose chose chosen; fly flew flown; freeze froze frozen; hear heard; sit sat; stand stood; throw
threw thrown; tear tore torn; catch caught; feel felt; lay laid; mean meant; shrink shrank shrunk;
tie tied tying; die died dying dies; wind wound; come came; put puts putting; hit hits; let lets
letting; shut shuts; set sets setting; cut cuts cutting; split splits; swear swore sworn; light
lit; sink sank sunk; steal stole stolen; forget forgot forgotten; rewrite rewrote rewritten;
undergo underwent; understand understood; overtake overtook; spend spent; sign signed signs; use
used; like liked; live lived lives; move moved; hate hated; love loved
"""
_IRREGULAR = {
    form: base for line in _FORMS.split(";") for base, *forms in (line.split(),) for form in forms
}
"""By an irregular form of a word its base."""
STOP = vocabulary(
    """a an the of to in on at for with by from as is are am was were be been being has have had do
    does did and or but so that this these those it its he she they his her their him them i me
    my we us our you your who which what there here very really quite just still currently now
    today presently nowadays actually basically mostly generally usually officially about around
    approximately roughly some any also too well then than into onto up out over will would
    shall s § 's per via already recently lately finally since each every one who's while own
    such much many more most both currently' herself himself themselves itself there's get got"""
)
"""Words that say nothing by themselves when statements are compared."""
WORD = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*|§|\S+@\S+\.\w+|(?:https?://)?[\w-]+(?:\.[\w-]+)+/\S*|[$€£]|'s\b"
    r"|\d+(?:[.,:/'-]\d+)*(?:%|[^\W\d_]+)?|[^\W\d_](?:[\w&+#]|['./-](?=\w))*"
    r"|\.[A-Za-z]\w*(?:\.\w)?|[,:;()→=?!-]"
)
"""A word, a number, an address, or a sign between them."""


def fold_word(word: str) -> str:
    """A word without its inflection, for comparison only."""
    return _fold(word.lower())


_NO_ADVERBS = vocabulary("monthly quarterly biweekly fortnightly hourly")


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
    if low in STOP or not (low[0].isalnum() or (low[0] == "-" and len(low) > 1)):
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


class Token:
    """A word: as it stands, in lower case, and folded; `name` where it is written like a name."""

    __slots__ = ("fold", "low", "name", "text")

    def __init__(self, text: str, name: bool = False) -> None:
        self.text = text
        self.low = text.lower()
        self.fold = fold_word(self.low)
        self.name = name
