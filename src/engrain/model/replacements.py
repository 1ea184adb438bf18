"""By which sentences one note says that it takes the place of another, or that another takes its
own (S1.15, S1.17).

A sentence counts only where the note itself is what it speaks of: it names this note, or stands at
its head without another subject. What a section, an option or a feature was replaced by says
nothing of the note, and neither does what is only planned, thought of, denied or told on a
condition.
"""

from __future__ import annotations

import re

from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import content_words
from engrain.model.folding import fold
from engrain.model.note_blocks import CODE, HEADING, ROW, read_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OLDER, NEWER = "older", "newer"
"""What the other note is to the one that speaks of it."""


class Replacement:
    """That of two notes one took the other's place: the other is named by `target`, is `role` to
    the one that says so, and `quote` is the sentence. `linked` is whether the target is a link,
    and `label` its other side. `plain` is whether the sentence names the note that it is in, so
    that it can mean no other thing."""

    __slots__ = ("label", "linked", "plain", "quote", "role", "target")

    def __init__(
        self, role: str, target: str, linked: bool, quote: str, plain: bool, label: str = ""
    ) -> None:
        self.role = role
        self.target = target
        self.linked = linked
        self.quote = quote
        self.plain = plain
        self.label = label


_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
_QUOTED = re.compile(
    r"(?<!\w)(?:[\"“‘]|(?P<mark>\*{1,2}|_{1,2}))(?P<title>[^\"“”‘’`*_\[\]\n]{4,120}?)"
    r"(?(mark)(?P=mark)|[\"”’])(?!\w)"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_TARGET = "\ue000"
"""Stands for the other note in a sentence."""
_CUED = re.compile(
    r"replac|supersed|obsolet|deprecat|outdated|out[ -]of[ -]date|stale|retire|overrid|overrode|"
    r"instead|successor|previous|earlier|older|former|version of|update|revision of|rewrite of|"
    r"(?:takes?|took) (?:the place|over)|v\d+ of|in place of|no longer|stands? in for|invalid|void|"
    r"moved to|current|latest|newe|correction|supplant|succeed|ignore|disregard|archived",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|n't|(?-i:may)|might|could|would|should|will|shall|plans?|planned|planning|"
    r"propos\w+|if|when|unless|whether|maybe|perhaps|consider\w*|going to|intend\w*|someday|"
    r"eventually|once we|until|without|beside|besides|alongside|in addition|complement\w*|keeps?|"
    r"being|partly|partially|assum\w+|so that|must|want|"
    r"still (?:valid|holds|applies|current|in use|stands))\b|\w+n['’]t\b|\?",
    re.I,
)
_TEXT = (
    r"(?:notes?|pages?|entry|entries|procedures?|runbooks?|guides?|documents?|docs?|memos?|"
    r"versions?|steps?|instructions?|checklists?|write-?ups?|process|policy|policies|rules?|advice|"
    r"plans?|texts?|articles?|files?|records?|editions?|revisions?|drafts?|templates?|playbooks?|"
    r"how-?tos?|conventions?|agreements?|decisions?|manuals?|descriptions?|setup|list|form|one|"
    r"copy|variant)"
)
_LEADS = vocabulary(
    """note notice nb attention warning important caution info information update updated status
    history heads up edit new newer newest current latest revised
    revision version procedure page entry runbook guide document policy process checklist steps
    instructions rule rules as of on tldr remark reminder
    january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep oct nov dec"""
)
_LEAD = re.compile(r"[\W_]*([^:.;\ue000]{1,40}):[\W_]*")
_WHEN = re.compile(
    r"(?:with this|from (?:now|today|\w+ \d+|\d[\d-]*|\w+)(?: on(?:wards?)?)?|"
    r"(?:as of|since|effective|in|on) (?:now|today|\d[\w-]*|[a-z]+(?: \d+)?(?: \d{4})?)|henceforth|"
    r"now|please|sorry|hence|therefore)\b[,:]?\s*",
    re.I,
)
_THE = r"(?:the |an? |our |my |its |all of |what |whatever )*"
_OLD = r"(?:older |earlier |previous |former |old |first |original |prior |outdated |existing )"
_NEW = (
    r"(?:new |newer |newest |updated |revised |reworked |rewritten |current |second |third |"
    r"latest |corrected |refreshed |improved |fresh )"
)
_NAMED = rf"(?:{_TEXT}(?: (?:in|from|under|at|of|called|named|titled|on|described|written))* )?"
_WHICH = rf"\s*[:,(]?\s*{_THE}{_OLD}*(?:[\w-]+ ){{0,2}}?{_NAMED}(?:by |in |from |under |at )?\(?$"
"""What stands between a verb and the name of a note."""
_ADVERBS = (
    r"(?:now |hereby |therefore |thus |also |has |have |had |fully |completely |entirely |"
    r"officially |thereby |since |long |been |is |are |was |were |got |gets |both |all )*"
)
_THIS = re.compile(
    rf"(?:this|these|it|here|the above|the below|what follows|what is (?:\w+ )?(?:here|below)) "
    rf"{_ADVERBS}",
    re.I,
)
_THIS_TEXT = re.compile(
    rf"(?:this|these|the (?:present|above|below|following)|what is (?:written |said )?(?:in )?this)"
    rf" {_NEW}*(?:[\w-]+ )?{_TEXT},? {_ADVERBS}(?:in it |here |below |above )?{_ADVERBS}",
    re.I,
)
_ELLIPSIS = re.compile(_ADVERBS, re.I)
_REPLACES = re.compile(
    r"\b(?:replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|obsolet(?:es?|ed)|overrid(?:es?|ing)|"
    r"overrode|deprecat(?:es?)|retir(?:es?|ed)|tak(?:es?|ing) the place of|took the place of|"
    r"tak(?:es?|ing) over (?:from|for)|took over (?:from|for)|stands? in for|supplants?|succeeds?|"
    r"updates|corrects|revises|rewrites|invalidates|voids)" + _WHICH,
    re.I,
)
_SUCCESSOR = re.compile(
    rf"{_THE}(?:(?:successor|heir) (?:to|of)|replacement (?:for|of)|follow-?up (?:version )?(?:of|to)|"
    rf"{_NEW}+{_TEXT} (?:of|for|to|on)|(?:update|rewrite|revision|correction) (?:of|to)|"
    rf"v(?:ersion )?\d+ of){_WHICH}",
    re.I,
)
_INSTEAD_OF = re.compile(
    rf"(?:(?:use|follow|read|apply|take|prefer) (?:this|these|it|the (?:below|following|above))"
    rf"(?: {_TEXT})? )?(?:instead|in place) of{_WHICH}",
    re.I,
)
_IGNORE = re.compile(
    r"(?:please )?(?:ignore|disregard|forget|do not use|don['’]t use|do not follow|"
    rf"don['’]t follow|no longer use|stop using){_WHICH}",
    re.I,
)
_OLD_ONE = re.compile(
    rf"{_THE}{_OLD}+(?:{_TEXT}(?: of this(?: {_TEXT})?)?|procedure)(?: (?:is|was|are|stands))?"
    r"(?: (?:in|at|under))?\s*[:(]?\s*$",
    re.I,
)
_NAME_OF = re.compile(rf"{_THE}{_OLD}*{_NEW}*{_NAMED}\(?$", re.I)
_GONE = (
    r"(?:obsolete|outdated|deprecated|out of date|out-of-date|stale|superseded|retired|replaced|"
    r"archived|void|history|invalid|gone|withdrawn|overtaken|no longer (?:valid|current|true|used|"
    r"in use|correct|followed|maintained|right|applicable|applies|holds|counts|works|in force))"
)
_GONE_AFTER = re.compile(
    rf"\)?[\s,]*(?:{_TEXT}[\s,]*)?(?:\([^)]{{0,60}}\)\s*)?(?:which |that )?(?:(?:is|are|was|has been|"
    r"have been|became|becomes|counts? as|gets?|has become)\s+)?"
    rf"(?:now |thereby |hereby |therefore |thus |since |long |both |all |with this )*{_GONE}\b"
    r"(?!\s+(?:by|with|in favou?r)\b)",
    re.I,
)
_GONE_BY = re.compile(
    r"\)?[\s,]*(?:(?:is|are|was|has been|have been)\s+(?:now |since |hereby )*(?:superseded|replaced|"
    rf"obsoleted|overridden|overtaken)) (?:by|with) (?:this(?: {_TEXT})?|the (?:above|below|present|"
    r"steps|text|rules)(?: (?:here|below))?|what (?:is|stands|follows)\b)",
    re.I,
)
_BY = re.compile(
    r"(?:replaced|superseded|obsoleted|overridden|overtaken|made obsolete|succeeded|supplanted|"
    r"retired|deprecated|dropped|withdrawn|archived)"
    rf" (?:\w+ ){{0,2}}?(?:by|with|in favou?r of){_WHICH}",
    re.I,
)
_GONE_SEE = re.compile(
    rf"{_GONE}\b[^.\ue000]{{0,60}}?(?:[\s,:;–—(>→-]*\b(?:please )?(?:now )?(?:and )?(?:see|use|"
    r"follow|read|go to|go by|refer to|look at|lives? in|is now in|is in|are in|continued in|"
    rf"moved to|in favou?r of|prefer)|[:;–—→]|->){_WHICH}",
    re.I,
)
_DOES_AFTER = re.compile(
    r"\)?[\s,]*(?:which |that |has |now |have |since )*"
    r"(?:replac(?:es|ed)|supersed(?:es|ed)|obsolet(?:es|ed)|overrid(?:es|den)|overrode|"
    r"took over(?: from)?|takes over(?: from)?|takes the place of|took the place of|"
    r"is (?:the|an?) (?:current|newer|latest|updated|newest|valid|new|later) "
    rf"(?:{_TEXT}) of) (?P<this>this|these|it|what is (?:here|below|above))\b(?P<text> {_TEXT}\b)?",
    re.I,
)
_CURRENT_IS = re.compile(
    rf"(?:the )?(?:{_NEW}|up-to-date |live |present |valid )+{_TEXT}(?: of (?P<this>this(?: {_TEXT})?|"
    r"it))?\s*(?:(?:is|lives|stands|can be found|is found|are)\s*(?:now )?(?:in|at|under)?|:|in|at)"
    r"\s*(?:the )?$",
    re.I,
)
_MOVED = re.compile(rf"(?:has |have |was |is |are )*(?:now )?moved to{_WHICH}", re.I)
_ADVICE = re.compile(
    r"(?:(?:we|i) )?(?:recommend|suggest|advise)(?: (?!not\b)[\w-]+){0,4}|please", re.I
)
_SEE = re.compile(rf"\b(?:see|use|follow|read|go to|go by|refer to|prefer|go for){_WHICH}", re.I)

_MOST = 8
"""Links of a sentence that are looked at: one that has more is a list."""
_AROUND = 240
"""Characters on either side of a link in which it is told what it is."""
_STUB = 40
"""Words of a note that says little else."""
_LEAST_TITLE = 2
"""Words of a title that is quoted: a single one is a thing more often than a note."""
_ABOUT_ITSELF = vocabulary("status history note notes notice supersedes replaces superseded changes")
"""Headings of sections in which a note speaks of itself."""


def read_replacements(text: str, title: str = "") -> Iterator[Replacement]:
    """What a note's text says of notes whose place it took, and of such as took its own."""
    if not _CUED.search(text):
        return
    named = fold(title)
    mine = content_words(title)
    stub = len(text.split()) <= _STUB
    at_head = True
    for block in read_blocks(text):
        if block.kind == HEADING:
            told = fold(block.text)
            at_head = told == named or told in _ABOUT_ITSELF
        if block.kind in (HEADING, CODE, ROW) or not ("[[" in block.text or _CUED.search(block.text)):
            continue
        gone = 0
        for sentence in _SENTENCE.split(block.text):
            context = _Context(mine, at_head, stub, gone)
            if gone or _CUED.search(sentence):
                yield from _read(sentence, context)
            gone = context.tells_gone(sentence)


def _read(sentence: str, context: _Context) -> Iterator[Replacement]:
    for pattern, linked in ((_LINK, True), (_QUOTED, False)):
        for number, found in enumerate(pattern.finditer(sentence)):
            if number == _MOST:
                break
            before = sentence[max(0, found.start() - _AROUND) : found.start()]
            after = sentence[found.end() : found.end() + _AROUND]
            target, label = (found[1], found[2] or "") if linked else (found["title"], "")
            if "#" in target + label:
                continue  # a part of a note
            if not linked and len(content_words(target)) < _LEAST_TITLE:
                continue
            role, sure = context.judge(_plain(before), _plain(after))
            if role:
                quote = f"{before}{found[0]}{after}".strip()
                yield Replacement(role, target.strip(), linked, quote, sure, label.strip())


def _plain(words: str) -> str:
    """Words without what makes them a link or bold."""
    return _LINK.sub(_shown, words).replace("**", "").replace("__", "")


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1].rpartition("/")[2]


class _Context:
    """Where a sentence stands: in a note with `mine` in its title, at its head or not, in one that
    is a `stub` or not; `gone` is how plainly the sentence before said that the note is history."""

    __slots__ = ("at_head", "gone", "mine", "stub")

    def __init__(self, mine: frozenset[str], at_head: bool, stub: bool, gone: int) -> None:
        self.mine = mine
        self.at_head = at_head
        self.stub = stub
        self.gone = gone

    def judge(self, before: str, after: str) -> tuple[str, bool]:
        """What the note is that stands between two parts of a sentence, "" where it is neither, and
        whether this note is named as the other of the two."""
        whole = before + _TARGET + after
        before = _without_lead(before)
        for pattern, role in ((_REPLACES, OLDER), (_BY, NEWER), (_MOVED, NEWER)):
            if (said := pattern.search(before)) and not _NOT.search(before[: said.start()]):
                if pattern is _REPLACES and re.search(r"\bby\b", said[0]):
                    continue
                return self._told(role, self._subject(before[: said.start()]))
        if said := _GONE_SEE.search(before):
            if not _NOT.search(before[: said.start()]):
                return self._told(NEWER, self._subject(before[: said.start()]))
        for pattern in (_SUCCESSOR, _INSTEAD_OF, _IGNORE, _OLD_ONE):
            if (said := pattern.search(before)) and said.end() == len(before):
                if not _NOT.search(before[: said.start()]):
                    return self._told(OLDER, self._subject(before[: said.start()]))
        if _CURRENT_IS.fullmatch(before):
            return self._told(NEWER, 2 if re.search(r"\bthis \w", before) else 1)
        if _NAME_OF.fullmatch(before):
            if _GONE_BY.match(after):
                return self._told(OLDER, 2)
            if does := _DOES_AFTER.match(after):
                return self._told(NEWER, 2 if does["text"] else 1)
            if _GONE_AFTER.match(after):
                return self._told(OLDER, 2 if re.search(r"\bthis (?:one|note)\b", whole, re.I) else 1)
        if (said := _SEE.search(before)) and not _NOT.search(before):
            asked = before[: said.start()].strip(" ,:;—–-")
            alone = not asked or (self.gone and _ADVICE.fullmatch(asked))
            if self.gone and alone:
                return self._told(NEWER, self.gone)
            if alone and re.fullmatch(r"\)?\s*instead\W*", after, re.I):
                return self._told(NEWER, 1)
        return "", False

    def tells_gone(self, sentence: str) -> int:
        """Whether a sentence says that the note is history: 2 where it names it, 1 where it stands
        at the head without another subject, 0 where it does not."""
        if said := re.search(rf"\b{_GONE}\b", sentence, re.I):
            before = _without_lead(sentence[: said.start()])
            if not _NOT.search(before):
                return self._subject(before)
        return 0

    def _told(self, role: str, subject: int) -> tuple[str, bool]:
        if subject == 2 or (subject == 1 and self.at_head):
            return role, subject == 2 or self.stub
        return "", False

    def _subject(self, before: str) -> int:
        """How plainly the note is what a sentence begins with: 2 by its name, 1 by a pronoun or by
        nothing, 0 not at all."""
        said = before.strip(" \t,:;*_(>!-–—\"'“‘") + " "
        if said == " " or _ELLIPSIS.fullmatch(said) or _THIS.fullmatch(said):
            return 1
        if _THIS_TEXT.fullmatch(said):
            return 2
        words = content_words(said)
        least = 1 if said.lower().startswith("this ") else _LEAST_TITLE
        return 2 if len(words) >= least and words <= self.mine else 0


def _without_lead(before: str) -> str:
    """The first part of a sentence without a label such as "Note:", and without when it holds."""
    if (lead := _LEAD.match(before)) and all(
        word in _LEADS or word.isdigit() for word in re.findall(r"\w+", lead[1].lower())
    ):
        before = before[lead.end() :]
    before = before.lstrip(" \t>*_!⚠️-–—([")
    while when := _WHEN.match(before):
        before = before[when.end() :]
    return before
