"""A skill drafted by rule from the traces of similar tasks that succeeded (S2.4).

Its steps are the longest common subsequence of the actions that did not fail; the parts in which
their targets differ become `{…}`. Constraints of most tasks are its prerequisites, resolved errors
its errors and fixes, and common results of the last actions its exit criteria.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from engrain.language.text.fences import code_span, shorten
from engrain.model.experience.episode import is_failure
from engrain.model.experience.skills import Skill
from engrain.model.experience.traces import Trace, goal_words
from engrain.model.note.documents import objects_of

Step: TypeAlias = "tuple[str, tuple[str, ...]]"
"""A type of action, and its target in each task."""

LEAST_STEPS = 2
"""Tasks with fewer common steps teach no procedure."""
_MOST_STEPS = 120
_MOST_LISTED = 12
_MOST_EXAMPLES = 3
_ENDING = 5
"""The number of last actions whose results are exit criteria."""
_MOST_TITLE = 100

_MARKUP = re.compile(r"[\[\]<>`*_#|{}!\\~]")
_TOKEN = re.compile(r"[^\W_]+|.", re.DOTALL)


def draft_skill(documents: Sequence[Mapping[str, Any]]) -> Skill | None:
    """Return the skill that these episodes show, None if they have too little in common."""
    traces = [Trace("", document) for document in documents]
    logs = [_read_log(document) for document in documents]
    steps: list[Step] = [(action, (target,)) for action, target, _ in logs[0]]
    for log in logs[1:]:
        steps = _align(steps, [(action, target) for action, target, _ in log])
    if len(steps) < LEAST_STEPS:
        return None
    goals = [trace.goal for trace in traces]
    return Skill(
        _title(goals),
        "For tasks such as " + "; ".join(map(_said, dict.fromkeys(goals[:_MOST_EXAMPLES]))) + ".",
        prerequisites=_prerequisites(documents, traces),
        steps=_write_steps(steps),
        errors=_errors(traces),
        exit_criteria=_exit_criteria(logs),
    )


def _read_log(document: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the actions that did not fail as (type, target, result), repetitions only once."""
    log: list[tuple[str, str, str]] = []
    for one in objects_of(document.get("action_log")):
        if is_failure(one):
            continue
        action, target, result = (
            " ".join(str(one.get(key) or "").split())[:200]
            for key in ("action", "target", "result")
        )
        if action:
            if log and log[-1][:2] == (action, target):
                log.pop()
            log.append((action, target, result))
    return log if len(log) <= _MOST_STEPS else [*log[: _MOST_STEPS // 2], *log[-_MOST_STEPS // 2 :]]


def _align(steps: list[Step], log: list[tuple[str, str]]) -> list[Step]:
    """Return the longest common subsequence of the steps and a log; among those of one length, the
    one with the most similar targets."""
    best = [[0.0] * (len(log) + 1) for _ in range(len(steps) + 1)]
    for i in range(len(steps) - 1, -1, -1):
        action, targets = steps[i]
        for j in range(len(log) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if action == log[j][0]:
                taken = best[i + 1][j + 1] + 1 + 0.001 * _similarity(targets[0], log[j][1])
                best[i][j] = max(best[i][j], taken)
    aligned: list[Step] = []
    i = j = 0
    while i < len(steps) and j < len(log):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            aligned.append((steps[i][0], (*steps[i][1], log[j][1])))
            i, j = i + 1, j + 1
    return aligned


def _similarity(one: str, other: str) -> float:
    """Return which share of two targets is equal at beginning and end, from 0 to 1."""
    if one == other:
        return 1.0
    first, second = _TOKEN.findall(one), _TOKEN.findall(other)
    head, tail = _ends_in_common([first, second])
    return (head + tail) / max(len(first), len(second), 1)


def _ends_in_common(texts: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix behind it."""
    shortest = min(map(len, texts))
    head = 0
    while head < shortest and len({text[head] for text in texts}) == 1:
        head += 1
    tail = 0
    while tail < shortest - head and len({text[-1 - tail] for text in texts}) == 1:
        tail += 1
    return head, tail


def _generalise(targets: Sequence[str]) -> str:
    """Return what targets have in common, with `{…}` for the rest; "" if that is too little."""
    if len(set(targets)) == 1:
        return targets[0]
    tokens = [_TOKEN.findall(target) for target in targets]
    head, tail = _ends_in_common(tokens)
    kept = [*tokens[0][:head], "{…}", *(tokens[0][-tail:] if tail else ())]
    return "".join(kept) if any(token[0].isalnum() for token in kept) else ""


def _write_steps(steps: Sequence[Step]) -> list[str]:
    """Return the steps as text, equal neighbours once."""
    lines: list[str] = []
    for action, targets in steps:
        target = _generalise(targets)
        line = f"{_said(action)} {code_span(target)}" if target else _said(action)
        if not lines or lines[-1] != line:
            lines.append(line)
    return lines


def _title(goals: Sequence[str]) -> str:
    """Return the words that all goals share, in their order; the shortest goal if fewer than two
    of them are significant."""
    common: list[Step] = [(word.casefold(), (word,)) for word in goals[0].split()]
    for goal in goals[1:]:
        common = _align(common, [(word.casefold(), word) for word in goal.split()])
    title = " ".join(words[0] for _, words in common)
    if len(goal_words(title)) < 2:
        title = min(goals, key=lambda goal: (len(goal), goal))
    return shorten(_MARKUP.sub(" ", title), _MOST_TITLE).strip(" .,:;") or "task"


def _prerequisites(documents: Sequence[Mapping[str, Any]], traces: Sequence[Trace]) -> list[str]:
    """Return the constraints of most tasks, and the files that all used and none produced."""
    said = Counter(text for trace in traces for text in dict.fromkeys(trace.constraints))
    lines = [_said(text) for text, count in said.items() if 2 * count > len(traces)]
    made = {str(path) for one in documents for path in one.get("artifacts_produced") or ()}
    shared = set.intersection(*(set(trace.files) for trace in traces)) - made
    lines += [f"{code_span(path)} is there" for path in traces[0].files if path in shared]
    return lines[:_MOST_LISTED]


def _errors(traces: Sequence[Trace]) -> list[tuple[str, str]]:
    """Return the resolved errors with their resolutions, the most frequent first."""
    met = Counter(error.signature for trace in traces for error in trace.errors)
    found: dict[str, tuple[str, str]] = {}
    for trace in traces:
        for error in trace.errors:
            if error.resolution and error.signature not in found:
                message = " ".join(error.message.split())[:200]
                about = ", ".join(filter(None, (error.type, message)))
                found[error.signature] = (_said(about), _said(error.resolution))
    return [found[each] for each, _ in met.most_common() if each in found][:_MOST_LISTED]


def _exit_criteria(logs: Sequence[Sequence[tuple[str, str, str]]]) -> list[str]:
    """Return the results that the last actions of every task have in common."""
    ends = [[(action, result) for action, _, result in log[-_ENDING:] if result] for log in logs]
    common = set.intersection(*map(set, ends))
    lines = (
        f"{_said(do)} gives {code_span(end[:80])}" for do, end in ends[0] if (do, end) in common
    )
    return list(dict.fromkeys(lines))


def _said(text: str) -> str:
    """Return a text of a trace, as code if it could be read as markup or a link."""
    text = " ".join(text.split())
    return code_span(text) if _MARKUP.search(text) or ": " in text or "://" in text else text
