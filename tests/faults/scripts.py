"""What the processes do that are killed: one script a verb, in steps that are acknowledged one by
one; and what a vault has to show for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.model.errors import ErasedError
from engrain.model.note.tiers import STATUSES

_ID = re.compile(r"\b01[0-9a-z]{24}\b")

Ids = dict[str, str]
Step = Callable[[Memory, Ids, str], None]
State = frozenset[tuple[str, str, str, bool, int]]
"""Of each entry: the title, the status, the text, whether it is pinned, and how many links."""


def save(memory: Memory, ids: Ids, tag: str) -> None:
    ids["one"] = memory.save(f"The first text of {tag}.", title=f"{tag} one", kind="fix").id


def save_other(memory: Memory, ids: Ids, tag: str) -> None:
    text = f"The other text of {tag}, see [[{tag} one]]."
    ids["two"] = memory.save(text, title=f"{tag} two", kind="decision").id


def edit(memory: Memory, ids: Ids, tag: str) -> None:
    expect = memory.show(ids["one"]).entry.hash
    memory.edit(ids["one"], expect=expect, text=f"The second text of {tag}.")


def import_notes(memory: Memory, ids: Ids, tag: str) -> None:
    source = Path(ids["beside"]) / tag
    source.mkdir(exist_ok=True)
    for number in range(3):
        note = f"---\ntitle: {tag} note {number}\n---\nThe imported text {number} of {tag}.\n"
        (source / f"{tag}-{number}.md").write_text(note)
    memory.import_folder(str(source))


SCRIPTS: Mapping[str, Sequence[Step]] = {
    "save": [save, save_other],
    "edit": [save, edit],
    "evolve": [save, lambda memory, ids, tag: use(memory.evolve(ids["one"], f"Anew: {tag}."))],
    "forget": [save, lambda memory, ids, tag: use(memory.forget(ids["one"]))],
    "restore": [
        save,
        lambda memory, ids, tag: use(memory.forget(ids["one"])),
        lambda memory, ids, tag: use(memory.restore(ids["one"])),
    ],
    "link": [save, save_other, lambda memory, ids, tag: use(memory.link(ids["one"], ids["two"]))],
    "archive": [
        save,
        lambda memory, ids, tag: use(memory.archive(ids["one"])),
        lambda memory, ids, tag: use(memory.restore(ids["one"])),
    ],
    "pin": [
        save,
        lambda memory, ids, tag: use(memory.pin(ids["one"])),
        lambda memory, ids, tag: use(memory.pin(ids["one"], False)),
    ],
    "rename": [
        save,
        save_other,
        lambda memory, ids, tag: use(memory.rename(ids["one"], f"{tag} renamed")),
    ],
    "fact": [
        lambda memory, ids, tag: use(memory.facts.add(f"{tag} person", f"{tag} likes tea")),
        lambda memory, ids, tag: use(memory.facts.add(f"{tag} person", f"{tag} lives in Bergen")),
    ],
    "undo": [save, edit, lambda memory, ids, tag: use(memory.undo())],
    "import": [import_notes],
    "erase": [save, lambda memory, ids, tag: use(memory.erase(memory.plan_erasure([ids["one"]])))],
}


def use(_: object) -> None:
    """For what a verb gives and no script needs."""


def look(memory: Memory) -> dict[str, State]:
    """The state of every tag's entries, by tag. A tag is the first word of the titles."""
    listing = memory.list(scope=Scope(statuses=STATUSES, all_projects=True))
    found: dict[str, set[tuple[str, str, str, bool, int]]] = {}
    for row in listing.rows:
        try:
            entry = memory.show(row.id if row.primary else row.locator).entry
        except ErasedError:
            continue  # its tombstone
        tag = str(row.title).split()[0]
        pinned = entry.fields.get("pinned") is True
        links = len(entry.fields.get("links") or ())  # type: ignore[arg-type]
        text = _ID.sub("ID", entry.text.strip())
        if row.locator.endswith(".json"):  # a record, with times and ids in it
            raw = entry.note.raw.decode()
            text = " ".join(fact for fact in ("likes tea", "lives in Bergen") if fact in raw)
        told = (str(row.title), str(row.status), text, pinned, links)
        found.setdefault(tag, set()).add(told)
    return {tag: frozenset(states) for tag, states in found.items()}


def retag(state: State, tag: str, to: str) -> State:
    """What the same script leaves under another tag."""
    return frozenset(
        (title.replace(tag, to), status, text.replace(tag, to), pinned, links)
        for title, status, text, pinned, links in state
    )
