"""Words a pattern from what similar episodes share (S2.4): the same episodes always give the same
words.

Text of an episode is data: where it could be read as markup or a link, it becomes a code span.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from engrain.language.lexicons import read_synonyms
from engrain.language.text.fences import code_span, shorten
from engrain.model.experience.episode import FAILURE, SUCCESS
from engrain.model.experience.patterns import Pattern
from engrain.model.experience.traces import Trace, TraceError, goal_words, main_line, short_path

_SENTENCE = 120
_LEAST_STEPS, _LEAST_WORDS, _LEAST_MET = 3, 2, 2
_GENERAL_STEPS = frozenset(
    ("edit_file", "read_file", "run_command", "run_test", "search", "write_file")
)
"""Steps of nearly every task: they say something of tasks whose goals are alike."""
_LEAST_ALIKE = 3
"""The words that such goals share."""
_MOST = 5
_SAME = 0.6
_MARKUP = re.compile(r"[\[\]<>`*_#|~%$\\]|==|::|^[-+>]|^\d+[.)]")

_BY_ENDING = read_synonyms("experience", "languages")
GENERAL = "general"


def word_pattern(id_: str, traces: Sequence[Trace], central: str) -> Pattern | None:
    """Return the pattern that traces share, None where they share too little to be one; `central`
    is the id of the one most similar to all others. The caller sets confidence, sources and
    counters."""
    good = [trace for trace in traces if trace.outcome == SUCCESS] or list(traces)
    telling = [trace for trace in good if len(goal_words(trace.goal)) >= _LEAST_WORDS]
    steps = _steps(good)
    resolved = [
        error for error, met in _shared_errors(traces) if error.resolution and met >= _LEAST_MET
    ]
    alike = len(_shared([goal_words(trace.goal) for trace in traces], most=60)) >= _LEAST_ALIKE
    distinct = len(steps) >= _LEAST_STEPS and (alike or not _GENERAL_STEPS.issuperset(steps))
    if not telling or not (distinct or resolved):
        return None
    example = next((trace for trace in telling if trace.id == central), telling[0])
    return Pattern(
        id_,
        quote(shorten(example.goal, _SENTENCE)),
        category=categorise(traces),
        conditions=tuple(_conditions(traces, example)),
        correct_approach="\n".join(_approach(steps, resolved)),
        incorrect_approach="\n".join(_failures(traces)),
    )


def word_error(error: TraceError) -> str:
    """Return an error on one line: its type and the main line of its message."""
    line = shorten(main_line(error.message), _SENTENCE)
    if not line or line.casefold().startswith(error.type.casefold()):
        return quote(line or error.type)
    return quote(f"{error.type}: {line}" if error.type else line)


def quote(text: str) -> str:
    """Return text on one line that is no markup and no link, as a code span where needed."""
    text = " ".join(text.split())
    return code_span(text) if _MARKUP.search(text) else text


def same_said(one: str, other: str) -> bool:
    """Whether two texts say the same: most words of the shorter are in the other."""
    first, second = set(goal_words(one)), set(goal_words(other))
    both = len(first & second)
    return both > 0 and both >= _SAME * min(len(first), len(second))


def categorise(traces: Iterable[Trace]) -> str:
    """Return the language of most files, else the most frequent phase, else GENERAL."""
    counted: Counter[str] = Counter()
    phases: Counter[str] = Counter()
    for trace in traces:
        endings = (path.rpartition(".")[2].lower() for path in trace.files)
        counted.update({_BY_ENDING[ending] for ending in endings if ending in _BY_ENDING})
        phases.update([trace.phase] if trace.phase else [])
    for names in (counted, phases):
        if names:
            return min(names, key=lambda name: (-names[name], name))
    return GENERAL


def _conditions(traces: Sequence[Trace], example: Trace) -> Iterator[str]:
    shared = set(_shared([goal_words(trace.goal) for trace in traces], most=60))
    words = [word for word in re.findall(r"[^\W_]+", example.goal) if shared & {*goal_words(word)}]
    if words:
        yield "The task is about " + ", ".join(list(dict.fromkeys(words))[: 2 * _MOST])
    for path in _shared([list(map(short_path, trace.files)) for trace in traces]):
        yield f"It touches {code_span(path)}"
    phases = {trace.phase for trace in traces}
    if len(phases) == 1 and (phase := phases.pop()):
        yield f"In the phase {quote(phase)}"
    yield from map(quote, _shared([trace.constraints for trace in traces]))
    for error, count in _shared_errors(traces):
        if count > 1:
            yield f"Where this is met: {word_error(error)}"


def _steps(good: Sequence[Trace]) -> list[str]:
    """Return the types of action that went well in several traces, in their order."""
    logs = [[name for name, _, failed in trace.actions if not failed] for trace in good]
    steps = _shared(logs, most=2 * _MOST)
    places = {step: fmean(log.index(step) for log in logs if step in log) for step in steps}
    return sorted(steps, key=lambda step: (places[step], step))


def _approach(steps: Sequence[str], resolved: Sequence[TraceError]) -> Iterator[str]:
    if steps:
        yield f"Steps that worked: {', '.join(map(code_span, steps))}."
    for error in resolved[:_MOST]:
        yield f"{quote(error.resolution)} – against {word_error(error)}"


def _failures(traces: Sequence[Trace]) -> Iterator[str]:
    """Yield the errors that occurred in several traces or in a failed one."""
    failed = {
        error.signature for trace in traces if trace.outcome == FAILURE for error in trace.errors
    }
    for error, count in _shared_errors(traces):
        if count > 1 or error.signature in failed:
            at = f" at {', '.join(map(code_span, error.actions))}" if error.actions else ""
            yield f"Running into {word_error(error)}{at}"


def _shared_errors(traces: Sequence[Trace]) -> list[tuple[TraceError, int]]:
    """Return the errors of traces with their counts, the most frequent first. The newest resolved
    one represents all of its signature."""
    found: dict[str, TraceError] = {}
    counted: Counter[str] = Counter()
    for trace in sorted(traces, key=lambda trace: (-trace.at, trace.id)):
        for error in trace.errors:
            counted[error.signature] += 1
            before = found.get(error.signature)
            if before is None or (error.resolution and not before.resolution):
                found[error.signature] = error
    ordered = sorted(found, key=lambda signature: (-counted[signature], signature))
    return [(found[signature], counted[signature]) for signature in ordered[:_MOST]]


def _shared(lists: Sequence[Sequence[str]], most: int = _MOST) -> list[str]:
    """Return the values in at least half of the lists and in two, the most frequent first."""
    counted = Counter(value for values in lists for value in dict.fromkeys(values))
    least = max(2, len(lists) / 2)
    return sorted(
        (value for value, count in counted.items() if count >= least),
        key=lambda value: (-counted[value], value),
    )[:most]


def word_episodes(count: int) -> str:
    """Return a number of episodes in words."""
    return f"{count} episode{'' if count == 1 else 's'}"
