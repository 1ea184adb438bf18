"""What is done to an entry as a whole: forget, restore, pin, archive, vouch for it, erase it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engrain.adapters.web.asking import PREFIX, Answer, Ask, Moved, Page
from engrain.adapters.web.markup import find_url
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.engine.erasing.erase import Erased
from engrain.engine.verbs.listing import Shown
from engrain.model.errors import UsageError
from engrain.model.note.tiers import OPERATOR
from engrain.seam.derived import Progress

WORD = "erase"
"""What the person types to confirm an erasure."""
_PATIENCE = 2.0  # seconds that a page waits for it
WHY = {
    "asked": "",
    "derived": "derived from it",
    "copy": "the same text",
    "proposal": "a proposal about it",
}


def act(ask: Ask) -> Answer:
    """One of `_ACTIONS` on an entry, which does as the command of its name."""
    action = ask.sent("action")
    if action not in _ACTIONS:
        raise UsageError(f"there is no action {action[:40]!r}")
    told, do = _ACTIONS[action]
    outcome = do(ask.memory, ask.sent("id"), ask.sent("reason").strip())
    return Moved(find_url(outcome.id).removeprefix(PREFIX), told)


def plan_erasure(ask: Ask) -> Answer:
    """What an erasure would destroy, before anything is done. To find it reads every note and the
    whole history, so it is looked for when asked."""
    if not ask.get("find"):
        return Page(
            "erase.html", {"plan": None, "refused": "", "shown": ask.memory.show(ask.get("id"))}
        )
    return _show_plan(ask, ask.get("id"))


def erase(ask: Ask) -> Answer:
    """Erase as `engrain erase` does, if the person typed the word. What takes its time goes on, and
    the page tells how far it is."""
    id_ = ask.sent("id")
    if ask.sent("word").strip().lower() != WORD:
        return _show_plan(ask, id_, f"Type {WORD} to confirm. Nothing was erased.")
    ask.work.do(WORD, partial(_erase, ask, id_))
    ask.work.wait(_PATIENCE)
    return Moved("/entry/erased")


def show_erased(ask: Ask) -> Answer:
    """What the last erasure did, or how far it is."""
    ask.work.wait(0)
    progress, found = ask.work.look(ask.memory), ask.work.result
    if progress:
        return Page("erased.html", {"erased": None, "progress": progress})
    if not isinstance(found, Erased):
        return Moved("/")
    places = [*found.unreachable, *ask.around.unreachable()]
    return Page("erased.html", {"erased": found, "unreachable": places})


def _erase(ask: Ask, id_: str, progress: Progress) -> Erased:
    memory = ask.memory
    memory.episodes.recover()  # what dead processes left would come in later
    plan = memory.plan_erasure([id_], progress)
    if memory.work.drop_references(plan.ids):
        plan = memory.plan_erasure([id_], progress)
    ask.around.forget_losses(plan.names.mentioned_in)
    return memory.erase(plan, progress)


def _show_plan(ask: Ask, id_: str, refused: str = "") -> Page:
    plan = ask.memory.plan_erasure([id_])
    values = {"plan": plan, "id": id_, "why": WHY, "word": WORD, "refused": refused}
    return Page("erase.html", values, 400 if refused else 200)


def _forget(memory: Memory, id_: str, reason: str) -> Outcome:
    return memory.forget(id_, reason)


def _restore(memory: Memory, id_: str, _: str) -> Outcome:
    return memory.restore(id_)


def _archive(memory: Memory, id_: str, reason: str) -> Outcome:
    shown: Shown = memory.show(id_)
    own = shown.origin in (OPERATOR, "agent")
    return (memory.acting_as(OPERATOR) if own else memory).archive(id_, reason)


def _pin(memory: Memory, id_: str, reason: str) -> Outcome:
    return memory.acting_as(OPERATOR).pin(id_, True, reason)


def _unpin(memory: Memory, id_: str, reason: str) -> Outcome:
    return memory.acting_as(OPERATOR).pin(id_, False, reason)


def _vouch(memory: Memory, id_: str, reason: str) -> Outcome:
    return memory.trust.attest(id_, reason)


_ACTIONS: dict[str, tuple[str, Callable[[Memory, str, str], Outcome]]] = {
    "forget": ("Forgotten: recall skips it. Restore brings it back.", _forget),
    "restore": ("Restored.", _restore),
    "archive": ("Archived: a summary stays. Restore brings the original back.", _archive),
    "pin": ("Loaded in every session from now on.", _pin),
    "unpin": ("No longer pinned.", _unpin),
    "vouch": ("It counts as yours now.", _vouch),
}
"""What there is to do, by name: what is said when it is done, and who does it."""
