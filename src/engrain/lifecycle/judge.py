"""Chooses the agent or the model that judges, and limits what it may cost (DESIGN section 18)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from engrain.engine.core.store import Store
from engrain.language.text.folding import fold
from engrain.language.text.instants import format_instant
from engrain.lifecycle.policy import AGENT, MODEL, JudgeRule, read_judge_rule, read_learn
from engrain.model.errors import EngrainError
from engrain.model.note.documents import count_of, list_of, object_of
from engrain.model.note.strength import DAY
from engrain.seam.llm import LLM, Broken, Line, Question
from engrain.state.local_state import Spend

PURPOSE = "judge"
"""The purpose under which the tokens of a judge are counted, and the name of its note on this
device."""
_FAILURES = 3
"""So many in a row end the asking for a day."""


def choose_judge(store: Store, who: str, host: str = "") -> LLM:
    """Return the model that judges, or the client of a host; without a `host` the client of the
    session that was judged last. Raises Broken if there is none."""
    if who == MODEL:
        llm = store.models.llm(PURPOSE)
        missing = "no language model is set (llm_url, llm_model)"
    else:
        host = store.settings.get("judge.client") or host or str(_read_note(store).get("host", ""))
        llm = store.models.agent(PURPOSE, host)
        missing = f"the client of {host[:40]} can't be asked without a terminal (judge.client)"
    if llm is None:
        raise Broken(missing)
    return llm


def may_ask(store: Store) -> bool:
    """Return whether the operator chose a judge, and its limits let it be asked now."""
    chosen = read_learn(store.settings) in (AGENT, MODEL)
    return chosen and not find_pause(store, read_judge_rule(store.settings))


def ask_judge(store: Store, question: Question, lines: Iterable[Line]) -> list[Any] | None:
    """Return the judge's answer about data; None where it may not be asked, or gave none of use,
    which is counted."""
    if not may_ask(store):
        return None
    try:
        llm = choose_judge(store, read_learn(store.settings))
    except Broken:  # no session of a client was judged yet
        return None
    try:
        answer = question.ask(llm, store.entropy.draw, lines)
    except (Broken, EngrainError, OSError) as error:
        note_failure(store, error.message if isinstance(error, EngrainError) else str(error))
        return None
    note_judge(store, failed=None)
    return answer


def stands_in(quote: str, text: str) -> bool:
    """Return whether three or more words, in a script without blanks five or more letters, stand
    in this order in a text."""
    words = _WORD.findall(fold(quote))
    read = " ".join(_WORD.findall(fold(text)))
    if not quote.isascii() and len(words) < 3:
        return len(quote) >= 5 and " ".join(words) in read
    return len(words) >= 3 and f" {' '.join(words)} " in f" {read} "


_WORD = re.compile(r"\w+")


def note_failure(store: Store, reason: str) -> None:
    """Count a failure of the judge on this device, for `find_pause`."""
    failed = count_of(next(iter(list_of(_read_note(store).get("failed"))), 0)) + 1
    note_judge(store, failed=[failed, store.clock.now(), reason])


def note_judge(store: Store, **fields: object) -> None:
    """Write fields of the judge's note on this device; the other fields stay."""
    store.device.local.write_note(PURPOSE, {**_read_note(store), **fields})


def find_pause(store: Store, rule: JudgeRule) -> str:
    """Return why nothing is judged now, "" if it may be."""
    spent = list_spends_today(store)
    tokens = sum(spend.taken + spend.given for spend in spent)
    if len(spent) >= rule.sessions:
        return f"{rule.sessions} sessions a day are judged (judge.sessions)"
    if tokens >= rule.tokens:
        return f"{rule.tokens} tokens a day are spent on it (judge.tokens)"
    failed, at, reason = [*list_of(_read_note(store).get("failed")), 0, 0.0, ""][:3]
    waited = store.clock.now() - (at if isinstance(at, float) else 0.0)
    if count_of(failed) >= _FAILURES and 0 <= waited < DAY:
        until = format_instant(store.clock.now() - waited + DAY)
        return (
            f"it failed {count_of(failed)} times in a row ({str(reason)[:200]}); it is tried again"
            f" after {until}, or by `engrain jobs run transcripts`"
        )
    return ""


def list_spends(store: Store, since: float = 0.0) -> list[Spend]:
    """Return what the judge has cost on this device since a time."""
    spends = store.device.local.spent_since(since)
    return [one for one in spends if one.purpose == PURPOSE and one.taken + one.given]


def list_spends_today(store: Store) -> list[Spend]:
    """Return what the judge has cost on this device since midnight (UTC)."""
    now = store.clock.now()
    today = now - now % DAY
    return [one for one in list_spends(store, today) if one.at < today + DAY]


def _read_note(store: Store) -> dict[str, object]:
    return object_of(store.device.local.read_note(PURPOSE))
