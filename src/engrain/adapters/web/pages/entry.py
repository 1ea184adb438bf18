"""One entry: its text, links, sources, uses and history, and what a person can do with it: edit,
evolve, pin, forget, restore, archive, vouch, erase. A concurrent change is never overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import unified_diff
from functools import partial

from engrain.adapters.present.text import PRIVATE, WHY_ERASED
from engrain.adapters.web.asking import PREFIX, Answer, Ask, Moved, Page
from engrain.adapters.web.pages.sessions import NAMES, list_readers
from engrain.adapters.web.templating import find_url
from engrain.adapters.web.words import describe_changes
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.engine.erasing.erase import Erased
from engrain.engine.verbs.listing import ShownEntry
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.note.tiers import OPERATOR, PERSONAL, split_ending
from engrain.seam.batches import Change
from engrain.seam.derived import Progress

_CHANGES = 30


def show(ask: Ask) -> Answer:
    reference = ask.get("id")
    try:
        shown = ask.memory.show(reference)
    except NotFoundError as error:
        history = _list_changes(ask.memory, reference)
        missing = {"error": error, "reference": reference, "told": describe_changes(history, {})}
        return Page("missing.html", missing, 404)
    memory, entry = ask.memory, shown.entry
    changes = _list_changes(memory, entry.id)
    agent = entry.source.get("agent")
    return Page(
        "entry.html",
        {
            "shown": shown,
            "entry": entry,
            "is_note": split_ending(shown.locator)[1] == ".md",
            "since": memory.sessions.since_recall([shown.row])[entry.id],
            "links_from": [
                (target, relation, row, target.startswith(PERSONAL))
                for target, relation, row in shown.links_from
            ],
            "pinned": entry.fields.get("pinned") is True,
            "told": describe_changes(changes, {entry.id: entry.title}),
            "agent": agent if isinstance(agent, str) else "",
            "names": NAMES,
            "readers": list_readers(memory, entry.id),
        },
    )


def _acting(memory: Memory, shown: ShownEntry) -> Memory:
    """Return the memory that edits an entry: the operator's entries stay theirs, and others keep
    their origin, as with `engrain edit`."""
    return memory.acting_as(OPERATOR) if shown.origin == OPERATOR else memory


def _list_changes(memory: Memory, reference: str) -> Sequence[Change]:
    try:
        return memory.history(reference, _CHANGES)
    except EngrainError:
        return ()


def show_form(ask: Ask) -> Answer:
    shown = ask.memory.show(ask.get("id"))
    entry = shown.entry
    return _form(shown, entry.text, entry.title, ", ".join(entry.tags))


def edit(ask: Ask) -> Answer:
    """Change an entry in place, unless it has changed since the form was made."""
    shown = ask.memory.show(ask.sent("id"))
    entry, text = shown.entry, _read_text(ask, shown)
    title, tags = " ".join(ask.sent("title").split()), _read_tags(ask.sent("tags"))
    if ask.sent("expect") != entry.hash:
        return _conflict(ask, shown, text)
    new_text = None if text == entry.text else text
    new_title = None if title in ("", entry.title) else title
    new_tags = None if tags == list(entry.tags) else tags
    if new_text is None and new_title is None and new_tags is None:
        return Moved(_back(entry.id), "Nothing was changed.")
    try:
        outcome = _acting(ask.memory, shown).edit(
            shown.locator, expect=entry.hash, text=new_text, title=new_title, tags=new_tags
        )
    except ConflictError:
        now = ask.memory.show(ask.sent("id"))
        if now.entry.hash == entry.hash:
            raise
        return _conflict(ask, now, text)
    return Moved(_back(outcome.id), _describe_done("Saved.", outcome.redacted))


def evolve(ask: Ask) -> Answer:
    """Save a successor of an entry, and archive the old one."""
    shown = ask.memory.show(ask.sent("id"))
    text = _read_text(ask, shown)
    if not text.strip():
        raise UsageError("the successor has no text")
    if ask.sent("expect") != shown.entry.hash:
        return _conflict(ask, shown, text)
    outcome = _acting(ask.memory, shown).evolve(
        shown.locator,
        text,
        title=" ".join(ask.sent("title").split()) or None,
        tags=_read_tags(ask.sent("tags")),
        reason=ask.sent("reason"),
        expect=shown.entry.hash,
    )
    return Moved(_back(outcome.id), _describe_done("This is the successor now.", outcome.redacted))


def _form(shown: ShownEntry, text: str, title: str, tags: str) -> Page:
    values = {"shown": shown, "entry": shown.entry, "text": text, "title": title, "tags": tags}
    return Page("edit.html", {**values, "diff": None})


def _conflict(ask: Ask, shown: ShownEntry, text: str) -> Page:
    """Return the form with the person's text, and its difference from the present text."""
    page = _form(shown, text, ask.sent("title"), ask.sent("tags"))
    lines = unified_diff(
        shown.entry.text.splitlines(), text.splitlines(), "there now", "yours", lineterm=""
    )
    return Page(page.template, {**page.values, "diff": list(lines)}, 409)


def _read_text(ask: Ask, shown: ShownEntry) -> str:
    """Return the text of the form with the line ends of the entry: browsers always send CR LF."""
    text = ask.sent("text").replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in shown.entry.text else text


def _read_tags(text: str) -> list[str]:
    return [tag.strip() for tag in text.split(",") if tag.strip()]


def _describe_done(told: str, redacted: tuple[str, ...]) -> str:
    if secrets := ", ".join(rule for rule in redacted if rule != PRIVATE):
        told += f" Replaced as secrets: {secrets}."
    return f"{told} Left out what was marked as private." if PRIVATE in redacted else told


def _back(id_: str) -> str:
    return find_url(id_).removeprefix(PREFIX)


WORD = "erase"
"""The word that confirms an erasure."""
_PATIENCE = 2.0  # seconds that a page waits for an erasure


def act(ask: Ask) -> Answer:
    """Do one of `_ACTIONS` to an entry, like the command of its name."""
    action = ask.sent("action")
    if action not in _ACTIONS:
        raise UsageError(f"there is no action {action[:40]!r}")
    told, do = _ACTIONS[action]
    outcome = do(ask.memory, ask.sent("id"), ask.sent("reason").strip())
    return Moved(_back(outcome.id), told)


def plan_erasure(ask: Ask) -> Answer:
    """Show what an erasure would destroy. To find it reads every note and the whole history, so
    the page asks first."""
    if not ask.get("find"):
        return Page(
            "erase.html", {"plan": None, "refused": "", "shown": ask.memory.show(ask.get("id"))}
        )
    return _show_plan(ask, ask.get("id"))


def erase(ask: Ask) -> Answer:
    """Erase as `engrain erase` does, if the person typed the word. A long erasure goes on, and the
    page shows its progress."""
    id_ = ask.sent("id")
    if ask.sent("word").strip().lower() != WORD:
        return _show_plan(ask, id_, f"Type {WORD} to confirm. Nothing was erased.")
    ask.work.do(WORD, partial(_erase, ask, id_))
    ask.work.wait(_PATIENCE)
    return Moved("/entry/erased")


def show_erased(ask: Ask) -> Answer:
    """Show what the last erasure did, or its progress."""
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
    plan = memory.plan_erasure([id_], progress)
    ask.around.forget_losses(plan.names.mentioned_in)
    return memory.erase(plan, progress)


def _show_plan(ask: Ask, id_: str, refused: str = "") -> Page:
    plan = ask.memory.plan_erasure([id_])
    values = {"plan": plan, "id": id_, "why": WHY_ERASED, "word": WORD, "refused": refused}
    return Page("erase.html", values, 400 if refused else 200)


def _archive(memory: Memory, id_: str, reason: str) -> Outcome:
    shown: ShownEntry = memory.show(id_)
    own = shown.origin in (OPERATOR, "agent")
    return (memory.acting_as(OPERATOR) if own else memory).archive(id_, reason)


def _pin(pinned: bool, memory: Memory, id_: str, reason: str) -> Outcome:
    return memory.acting_as(OPERATOR).pin(id_, pinned, reason)


_ACTIONS: dict[str, tuple[str, Callable[[Memory, str, str], Outcome]]] = {
    "forget": (
        "Forgotten: recall skips it. Restore brings it back.",
        lambda memory, id_, reason: memory.forget(id_, reason),
    ),
    "restore": ("Restored.", lambda memory, id_, _: memory.restore(id_)),
    "archive": ("Archived: a summary stays. Restore brings the original back.", _archive),
    "pin": ("Loaded in every session from now on.", partial(_pin, True)),
    "unpin": ("No longer pinned.", partial(_pin, False)),
    "vouch": (
        "Confirmed: it counts as yours now.",
        lambda memory, id_, reason: memory.trust.attest(id_, reason),
    ),
}
"""The actions by name: the notice when one is done, and the function that does it."""
