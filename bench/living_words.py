"""The words of the simulated world: terms of its topics, its people, and notes written in both.

Terms are combinations, some thousands of them, so that a word is as telling as in real text: parts
come back in many terms, a whole term in few notes. Sentences are English of common words.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


def _words(text: str) -> list[str]:
    return text.split()


_THINGS = _words("""
account alert asset auth backup badge batch billing branch budget build bundle cache calendar canary
cart catalog channel checkout cluster config consent coupon cron currency dashboard deploy device
digest discount document domain draft email export feature feed fixture form gateway grid harvest
image import inbox index ingest inventory invoice job journal label ledger license locale login
mailer market media meter metric migration mirror notice order outbox package parcel parser partner
password payment payout plugin policy portal pricing profile proxy queue quota rate receipt refund
region release render replica report retry review role rollup route sandbox schema search segment
sensor session shard shipping signal snapshot socket stock stream tariff tenant ticket token tracker
transfer upload vendor voucher wallet warehouse webhook widget worker
""")
_ROLES = _words("""
adapter archive balancer builder checker cleaner client codec counter cursor decoder dispatcher
encoder filter flusher formatter guard handler hook limiter linker loader lock mapper merger monitor
normalizer picker planner poller pool printer pruner reader recorder resolver router runner sampler
scanner scheduler selector sorter splitter store syncer table tagger tester tracer trimmer validator
watcher writer
""")
_ONSETS = _words("b br c ch d dr f fl g gl gr h j k kl l m n p pl qu r s sk st t tr v w z")
_MIDDLES = _words("a al an ar e el en er i il in ir o ol on or u ul un ur")
_ENDS = _words("""
bek by cor dax den dro fin gate go kit la lex lo mir na nix pod ra rix sky ta tern ton va vix
""")

NOUNS = _words("""
change test error value list order customer page number file request answer night week branch line
team limit window report run machine copy part morning result question problem reason case name
version screen button timer record field group step plan call message folder key setting
second minute first attempt half rest log user review release deadline meeting desk office network
disk memory trace hint pattern point check start end response header body state size count
""")
VERBS = _words("""
breaks drops keeps skips blocks loses repeats returns needs holds reads writes misses delays fills
hides renames opens closes moves sends waits counts expects ignores accepts rejects reports follows
touches rebuilds checks passes fails starts stops
""")
QUALITIES = _words("""
empty late old new slow wrong whole double missing early broken small large second quiet strict
stale open partial plain hidden first last local remote noisy strange cheap long short
""")
FIRST_NAMES = _words("""
Aino Bram Chidi Dalia Eero Farah Goran Hana Ines Jonas Kaori Lev Mirela Nadim Oksana Pavel Quentin
Rosa Sanna Tomas Uma Viktor Wanda Yusuf Zofia Anneli Bojan Carmen Dmitri Elif
""")
LAST_NAMES = _words("""
Albrecht Barros Castellan Dufour Eriksen Fonseca Grabowski Hakala Ivanov Jensen Kowal Lindgren
Moreau Novak Okafor Petrov Quist Rinaldi Saarinen Tanaka Ueda Varga Weber Yilmaz Zeman
""")

_OPENINGS: dict[str, tuple[str, ...]] = {
    "fix": (
        "{a} failed with {value} as soon as {b} was {quality}.",
        "The {noun} of {a} was {quality} whenever {b} ran first; {c} needs {value}.",
        "{a} hung because {b} never released {c}; raising the limit to {value} cured it.",
    ),
    "decision": (
        "We chose {a} over {b} for {c}, with {value} as the limit.",
        "{a} stays behind {b}: {c} may not be called directly, and {value} is the default.",
        "From now on {a} owns {c}; {b} only asks for it, at most {value}.",
    ),
    "workflow": (
        "To change {a}, stop {b}, run {c} with {value}, then start it again.",
        "Before a release of {a} check {b} and set {c} to {value}.",
        "{a} is rebuilt in three steps: {b}, then {c}, then {value}.",
    ),
    "domain-reference": (
        "{a} talks to {b} through {c} on {value}.",
        "In {a} a {noun} means what {b} calls {c}; its code is {value}.",
        "{a} keeps {c} for {value}, and {b} reads it from there.",
    ),
    "memory": (
        "Looked into {a} today; {b} seemed {quality}, {c} was at {value}.",
        "Ran {a} again with {b}; {c} gave {value} this time.",
        "Talked about {a}; {b} comes later, {c} is at {value} for now.",
    ),
    "insight": (
        "{a} is {quality} only because {b} waits for {c}, about {value} each time.",
        "Most of the {noun} in {a} comes from {b}; {c} adds {value}.",
    ),
    "preference": (
        "Always use {a} rather than {b} when {c} is concerned; {value} is fine.",
        "I want {a} kept {quality} and {b} left alone; {c} at {value}.",
    ),
    "relationship": ("{person} looks after {a} and {b}; ask about {c} before {value}.",),
    "roadmap": ("The goals are {goals}.",),
}
_FILLERS = (
    "The {quality} {noun} {verb} the {noun} before the {noun} {verb}.",
    "A {quality} {noun} {verb} when the {noun} is {quality}.",
    "It {verb} the {noun}, so the {noun} {verb} a {quality} {noun}.",
    "Nobody saw the {noun} because the {noun} {verb} it.",
    "After the {noun} the {quality} {noun} {verb} again.",
    "See {word} for the {quality} {noun}.",
    "{word} {verb} the same {noun}.",
)
_TITLES = ("{a} and {b}", "{a}: {quality} {noun}", "{a} with {b}", "{quality} {noun} in {a}")
_PROMPTS = (
    "what did we find about {words}",
    "the {noun} in {words} {verb} again, have a look",
    "please change {words} so that the {noun} {verb}",
    "why is {words} so {quality}",
    "how do we handle {words} when the {noun} {verb}",
    "continue with {words}, the {noun} first",
)
_SMALL_TALK = (
    "run the tests and commit",
    "please format that and shorten the {noun}",
    "go on",
    "explain the last {noun} in two sentences",
    "rename the variable, it is too {quality}",
    "undo the last {noun} and try the {quality} way",
)


def make_terms(chance: Random) -> list[str]:
    """Terms for topics, in a random order, each once: compounds of common parts and made-up names,
    half of each, as code and products have them. Some 9,000."""
    compounds = [f"{thing}_{role}" for thing in _THINGS for role in _ROLES]
    names = [a + b + c for a in _ONSETS for b in _MIDDLES for c in _ENDS]
    each = 4500
    terms = [*chance.sample(compounds, each), *chance.sample(names, each)]
    chance.shuffle(terms)
    return terms


def make_people(chance: Random, count: int) -> list[str]:
    """Full names, each once."""
    everyone = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    return chance.sample(everyone, count)


def make_value(chance: Random) -> str:
    """Something exact, as notes are written for: a number, a code, a version."""
    number = chance.randrange(10, 9900)
    return chance.choice((f"{number}", f"E{number}", f"{number} ms", f"v{number % 20}.{number}"))


def write_title(chance: Random, anchors: Sequence[str]) -> str:
    """A title of a note about some terms."""
    return _fill(chance, chance.choice(_TITLES), anchors)


def write_note(
    chance: Random,
    kind: str,
    anchors: Sequence[str],
    *,
    words: Sequence[str],
    length: int,
    person: str = "",
    goals: Sequence[str] = (),
) -> str:
    """A note about three `anchors` with sentences of common `words` around, of `length` words or a
    few more."""
    opening = chance.choice(_OPENINGS[kind])
    parts = [_fill(chance, opening, anchors, words=words, person=person, goals=goals)]
    if person and "{person}" not in opening:
        parts.append(f"{person} asked for it.")
    while sum(len(part.split()) for part in parts) < length:
        parts.append(_fill(chance, chance.choice(_FILLERS), anchors, words=words))
    return " ".join(parts)


def write_prompt(chance: Random, words: Sequence[str]) -> str:
    """A prompt with some terms in it; small talk without."""
    if not words:
        return _fill(chance, chance.choice(_SMALL_TALK), ())
    return _fill(chance, chance.choice(_PROMPTS).replace("{words}", " ".join(words)), ())


def _fill(
    chance: Random,
    template: str,
    anchors: Sequence[str],
    *,
    words: Sequence[str] = ("it",),
    person: str = "",
    goals: Sequence[str] = (),
) -> str:
    a, b, c = (*anchors, "", "", "")[:3]
    names = {"a": a, "b": b, "c": c, "person": person, "goals": ", ".join(goals)}
    pools = {"noun": NOUNS, "verb": VERBS, "quality": QUALITIES, "word": words}
    text = template.replace("{value}", make_value(chance) if "{value}" in template else "")
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    for name, pool in pools.items():
        while f"{{{name}}}" in text:
            text = text.replace(f"{{{name}}}", chance.choice(pool), 1)
    return text
