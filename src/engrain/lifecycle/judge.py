"""Chooses the agent or the model that judges, and limits what it may cost (DESIGN section 18)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.lifecycle.policy import MODEL, JudgeRule
from engrain.model.note.documents import count_of, list_of, object_of
from engrain.model.note.strength import DAY
from engrain.seam.llm import LLM, Broken
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
    return (
        "this device runs on its battery (judge.when)"
        if rule.mains and store.models.on_battery()
        else ""
    )


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
