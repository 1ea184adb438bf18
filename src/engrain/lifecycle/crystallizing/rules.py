"""A digest by rules: lines taken from what was gathered, each with where it is from (S1.17).

What was tried stands in order, what was decided, fixed and learned stands beside it, and open is
what failed and was not done later, what was handed on and not taken, and what was asked and not
answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engrain.language.text.lines import shorten
from engrain.language.text.sentences import split_sentences
from engrain.language.text.summary import summarize
from engrain.lifecycle.crystallizing.material import Material
from engrain.model.experience.commitments import OPEN as STILL_OPEN
from engrain.model.experience.crystal import (
    FINDINGS,
    INVESTIGATION,
    LESSONS,
    OPEN,
    QUESTION,
    SECTIONS,
    Line,
    Span,
)
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL, SUCCESS
from engrain.model.experience.handoff import CLAIMED
from engrain.model.experience.traces import Trace, goal_words
from engrain.model.experience.wording import alike_words, word_error
from engrain.model.note.documents import object_of, text_of, trimmed, trimmed_texts
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import LEARNING, JsonNote

_UNDONE = (FAILURE, PARTIAL, INTERRUPTED)
_FOUND = ("decision", "fix", "insight", "domain-reference", "memory", "design")
_TAUGHT = ("workflow", "preference", "feedback", "opinion")
_GOAL = 160
"""Characters of what a task wanted, so that how it ended has room behind it."""
_WORDS = 40
"""Words of a note that stand behind its title."""
_LEAST_ASKED = 3  # words that a question has, so that an answer to it can be recognised
_ANSWERED = 0.7
_ASKING = ("?", "？")
_MOST_ASKED, _MOST_ANSWERS = 100, 5000


def by_rules(span: Span, material: Material) -> dict[str, list[Line]]:
    """The lines of every section."""
    found: dict[str, Iterable[Line]] = {
        QUESTION: () if span.given.get(QUESTION) else _question(material),
        INVESTIGATION: _investigation(material),
        FINDINGS: _findings(material),
        LESSONS: _lessons(material),
        OPEN: _open_threads(material),
    }
    return {name: list(_once([*span.given.get(name, ()), *found[name]])) for name in SECTIONS}


def by_time(sections: Mapping[str, Sequence[Line]]) -> dict[str, list[Line]]:
    """Return the same sections with the investigation in the order in which it happened."""
    tried = sorted(sections[INVESTIGATION], key=lambda line: line.at or 0.0)
    return {name: list(sections[name]) for name in SECTIONS} | {INVESTIGATION: tried}


def _question(material: Material) -> Iterator[Line]:
    """What was asked first, where nobody wrote a goal down."""
    for trace in material.episodes:
        if trace.goal:
            yield Line(trace.goal, [trace.id], trace.at)
            return


def _investigation(material: Material) -> Iterator[Line]:
    for goal, traces in _by_goal(material.episodes):
        last = traces[-1]
        often = f" ({len(traces)} times)" if len(traces) > 1 else ""
        yield Line(_end(goal, last) + often, [one.id for one in traces[::-1]], traces[0].at)
    for id_, at, text in material.days:
        yield Line(text, [id_], at)
    for entry in material.handoffs:
        if CLAIMED in entry.tags:
            yield Line(f"handed over, {entry.title}", [entry.id], entry.created)


def _findings(material: Material) -> Iterator[Line]:
    for entry in material.notes:
        if entry.kind in _FOUND:
            yield _make_line(entry)
    for id_, fact in material.facts:
        yield Line(fact.content, [id_])


def _lessons(material: Material) -> Iterator[Line]:
    """Yield what was learned: patterns and mistakes first, then errors that no pattern covers."""
    covered: set[str] = set()
    anti = {entry.id for entry in material.learned if entry.kind == "anti-pattern"}
    for entry in material.learned:
        record = entry.note.document if isinstance(entry.note, JsonNote) else {}
        if entry.kind == LEARNING and record.get("anti_pattern") in anti:
            continue
        covered.add(text_of(entry.fields.get("signature")))
        yield _make_line(entry)
    for entry in material.notes:
        if entry.kind in _TAUGHT:
            yield _make_line(entry)
    for trace in material.episodes:
        for error in trace.errors:
            if error.resolution and error.signature not in covered:
                covered.add(error.signature)
                yield Line(f"{word_error(error)} – {error.resolution}", [trace.id], trace.at)


def _open_threads(material: Material) -> Iterator[Line]:
    for entry in material.handoffs:
        if CLAIMED not in entry.tags and isinstance(entry.note, JsonNote):
            yield from _waiting(entry, entry.note)
    yield from _undone(material.episodes)
    yield from _unresolved(material)
    for entry in material.notes:
        if entry.kind == "idea" or (
            entry.kind == "commitment" and entry.fields.get("state") == STILL_OPEN
        ):
            yield _make_line(entry)
    yield from _unanswered(material)


def _waiting(entry: Entry, note: JsonNote) -> Iterator[Line]:
    """A hand-off that nobody took, with what it says is left to do."""
    context = object_of(note.document.get("context"))
    to = trimmed(note.document.get("to_agent"))
    yield Line(f"waits for {to}: {trimmed(context.get('what_was_done'))}", [entry.id])
    for key, what in (("known_issues", "known issue"), ("needs_testing", "needs testing")):
        for said in trimmed_texts(context.get(key)):
            yield Line(f"{what}: {said}", [entry.id])


def _unresolved(material: Material) -> Iterator[Line]:
    """Errors that nothing fixed."""
    errors = [(trace, error) for trace in material.episodes for error in trace.errors]
    mended = {error.signature for _, error in errors if error.resolution}
    for entry in material.learned:
        if entry.fields.get("prevention"):
            mended.add(text_of(entry.fields.get("signature")))
    for trace, error in errors:
        if error.signature not in mended and trace.outcome != SUCCESS:
            mended.add(error.signature)
            yield Line(f"not resolved: {word_error(error)}", [trace.id], trace.at)


def _unanswered(material: Material) -> Iterator[Line]:
    """Questions in what was written, to which nothing that was written says most of their words."""
    said: list[tuple[str, float, str]] = [
        *((entry.id, entry.created or 0.0, entry.text) for entry in material.notes),
        *((id_, at, text) for id_, at, text in material.days),
    ]
    sentences = [
        (id_, at, sentence.strip(" \t->*#").strip())
        for id_, at, text in said
        for sentence in split_sentences(text)
    ]
    texts = [text for _, _, text in sentences if text[-1:] not in _ASKING]
    texts += [trace.goal for trace in material.episodes]
    texts += [entry.title for entry in material.notes]
    answers = [set(goal_words(text)) for text in texts[-_MOST_ANSWERS:]]
    asking = [one for one in sentences if one[2] and one[2][-1] in _ASKING]
    for id_, at, text in asking[-_MOST_ASKED:]:
        asked = set(goal_words(text))
        if len(asked) >= _LEAST_ASKED and not any(
            len(asked & answer) >= _ANSWERED * len(asked) for answer in answers
        ):
            yield Line(text, [id_], at)


def _by_goal(episodes: Sequence[Trace]) -> list[tuple[str, list[Trace]]]:
    """The tasks in order, those that wanted the same in the same words as one."""
    found: dict[str, list[Trace]] = {}
    for trace in episodes:
        if trace.goal:
            found.setdefault(" ".join(trace.goal.casefold().split()), []).append(trace)
    return [(traces[0].goal, traces) for traces in found.values()]


def _undone(episodes: Sequence[Trace]) -> Iterator[Line]:
    """Tasks that failed, and behind which none succeeded that wanted the same."""
    done = [(one.at, set(goal_words(one.goal))) for one in episodes if one.outcome == SUCCESS]
    for goal, traces in _by_goal(episodes):
        last = traces[-1]
        if last.outcome in _UNDONE:
            wanted = set(goal_words(goal))
            if not any(at >= last.at and alike_words(wanted, words) for at, words in done):
                yield Line(_end(goal, last), [last.id], last.at)


def _end(goal: str, last: Trace) -> str:
    """What a task wanted, and how it ended."""
    return f"{shorten(goal, _GOAL)}: {last.outcome}"


def _make_line(entry: Entry) -> Line:
    """A note in a line: its title, and what its text adds."""
    text = entry.text if not isinstance(entry.note, JsonNote) else ""
    more = shorten(summarize(entry.title, text, _WORDS), 8 * _WORDS) if text.strip() else ""
    if set(goal_words(more)) <= set(goal_words(entry.title)):
        return Line(entry.title, [entry.id], entry.created)
    return Line(f"{entry.title} – {more}", [entry.id], entry.created)


def _once(lines: Iterable[Line]) -> Iterator[Line]:
    """Each text once, with the sources of all that say it."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        if key := " ".join(line.text.casefold().split()):
            found.setdefault(key, []).append(line)
    for same in found.values():
        yield Line(same[0].text, [id_ for line in same for id_ in line.sources], same[0].at)
