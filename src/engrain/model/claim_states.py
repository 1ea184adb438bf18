"""Claims by words that are known: states that exclude one another, and tools of one kind."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_lexicon import kind_of_tool, state_words
from engrain.model.claim_meaning import is_own, mode_of, scope_of
from engrain.model.claim_parts import ENDED, HELD, HOLDS, PLANNED, UNSURE, Claim, Clause
from engrain.model.claim_patterns import STATE
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import ABBREVIATIONS, fold_word, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@lru_cache(maxsize=1)
def _state_pattern() -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(state_words(), key=len, reverse=True))
    return re.compile(
        r"(?<![\w'-])(?P<link>is|are|am|was|were|been|be|became|become|becomes|went|gone|goes|"
        r"turned|turns|"
        r"stays|follows|following|follow|identifies as|sticks to|sticking to|on|converted to|"
        r"eats|adopted|fully|"
        r"works|working|work|got|gets|diet|status|:|→|has|switched to|put|now|=|marked|moved "
        r"to|going)"
        r"(?P<adv>(?: (?:now|currently|still|officially|fully|back|to|being|strictly|strict|"
        r"completely|happily|"
        r"not|no longer|all|a|an|the|again|as|very|more of|mostly|really|finally|just|never|"
        r"since|gone|"
        r"totally|100%|permanently|entirely|been|put|set))*)"
        rf":? (?P<v>{words})(?= (?:again|now|since|for|diet|anymore|by|after|from|to|in|on|at|"
        rf"these|because|and|"
        r"but|as|with|today|because|this|last|until|person|mode|full|company|employee|worker|"
        r"because|following)\b|\s*$)",
        re.I,
    )


_IN_A_YEAR = re.compile(r" in (?:19|20)\d\d")
_OF_PROJECTS = frozenset(("status", "opening", "switch", "health"))
_IN_PARTS = _OF_PROJECTS | {"work_mode", "source", "listing"}
_NO_PART = vocabulary(
    """status project work development now has been is the and so as of was that then but s
    officially finally"""
)


def _part(before: str) -> frozenset[str]:
    """The part of the subject of which a state is told: its landing page."""
    words = (word for word in words_of(before) if word.islower() and word not in _NO_PART)
    return frozenset(map(fold_word, words))


def state_claims(clause: Clause) -> Iterator[Claim]:
    """States that exclude one another: married, vegan, on hold."""
    text = clause.text
    match = _state_pattern().search(text)
    if match is None:
        lead = re.match(
            r"^§ (?:now |just |finally |officially |already |recently "
            r")*(?P<v>shipped|launched|cancelled|"
            r"canceled|paused|shelved|scrapped|killed|discontinued|abandoned|"
            r"retired)\b(?! [A-Z§]| the| a| an| \d|'s)",
            text,
        )
        if lead is None:
            return
        match = lead
    word = match["v"].lower()
    if word not in state_words():
        return
    predicate, state = state_words()[word]
    before = text[: match.start()]
    link = match.groupdict().get("link") or ""
    if predicate == "diet" and text[match.end() :].lstrip().startswith(("restaurant", "cafe")):
        return
    if predicate in _OF_PROJECTS and not re.search(
        r"(?:§|project|it|status|state|work|development|effort|initiative|build)(?:'s)?:?(?: "
        r"[a-z]+){0,2} ?$|^$",
        before,
    ):
        return
    adverbs = match.groupdict().get("adv") or ""
    mode = HOLDS
    aspect = clause.aspect
    denied = is_denied(adverbs) or is_denied(" ".join(before.split()[-3:])) or " anymore" in text
    if aspect.hedged:
        mode = UNSURE
    elif aspect.ahead:
        mode = PLANNED
    elif denied or "no longer" in text:
        mode = ENDED
    elif (aspect.held or aspect.while_) and "now" not in text.split():
        mode = HELD if aspect.held else UNSURE
    elif link in ("was", "were") and (predicate != "status" or _IN_A_YEAR.search(text)):
        mode = HELD
    yield Claim(
        predicate,
        state,
        mode=mode,
        scope=_part(before) if predicate in _IN_PARTS else frozenset(),
        change=link in ("became", "become", "went", "gone", "turned", "got", "switched to"),
        now=aspect.now,
        added=aspect.added,
        own=is_own(predicate, before),
    )


_USING = re.compile(
    r"(?<![\w'-])(?:us(?:es?|ed|ing)|runs?|running|ran|built|buil[dt]s?|written|rewritten|"
    r"rewrote|hosted|hosts|"
    r"deploy(?:s|ed)?|stor(?:es?|ed|age)|backed|backs|powered|powers|moved|migrat\w+|switched|"
    r"adopt\w*|standardi\w+|"
    r"stack|ported|chose|picked|went with|goes with|lives? (?:on|in)|track(?:s|ed)?|chats?|"
    r"manag\w+|prefers?|"
    r"on|in|replaced|swapped|converted|is|:|=|consolidated|codes?|types?|edits?|works|daily "
    r"driver|carries|"
    r"owns|has|got|bought|upgraded|relies|settled|standardised)(?![\w'-])"
)


def tool_claims(clause: Clause) -> Iterator[Claim]:
    """Tools of a kind that is known, where they are said to be used."""
    text = clause.text
    if not _USING.search(text):
        return
    kinds = kind_of_tool()
    folded = re.sub(r"\b(vs|github|gitlab|google|apple|bare|fly|monday) (code|actions|ci|"
                    r"issues|cloud|chat|meet|notes|metal|analytics)\b",
                    r"\1_\2", text, flags=re.I)  # fmt: skip
    for word in words_of(folded.replace("_", "")):
        tool = _tool_name(word)
        kind = kinds.get(tool)
        if kind is None or (word.islower() and tool in _COMMON):
            continue
        at = text.lower().find(word.lower()[:4])
        before = text[: max(at, 0)]
        if re.search(r"(?:at|for|joined|by|from|left|with|join|than|of) (?:the )?$", before):
            continue
        turned = re.search(
            r"(?:ported|converted|rewritten|rewrote|migrated|moved|switched|transitioned|"
            r"swapped)(?![\w-]).* "
            r"(?:to|in|into|onto) (?:\w+ ){0,2}$", before
        ) is not None  # fmt: skip
        mode = mode_of("uses", STATE, clause, before, "")
        yield Claim(
            kind,
            tool,
            mode=HOLDS if turned and mode == HELD and not clause.aspect.held else mode,
            change=turned,
            scope=scope_of(kind, before, text[max(at, 0) :]),
            marked=True,
            now=clause.aspect.now,
            added=clause.aspect.added,
            own=is_own("likes", before) if re.search(r"§'s [a-z]+|[A-Z]", before) else True,
        )


_COMMON = vocabulary(
    """go rust swift next render lambda drone teams shortcut height edge brave opera arc arch
    mint atom cursor clerk segment bear zoom square nice spring express gin phoenix react
    flask rails ember solid oracle iphone windows safari galaxy pixel outlook bamboo linear
    signal elm helix jest split"""
) - {"react", "flask", "rails", "iphone", "windows"}


def _tool_name(word: str) -> str:
    lower = word.lower().removesuffix("'s")
    lower = ABBREVIATIONS.get(lower, lower).replace(" ", "_")
    return _joined().get(lower, lower)


@lru_cache(maxsize=1)
def _joined() -> dict[str, str]:
    """Tools of two words, by both without a blank."""
    return {tool.replace("_", ""): tool for tool in kind_of_tool() if "_" in tool}
