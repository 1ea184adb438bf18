"""The digest of a dream: a page beside its proposals that shows the operator what it found (S1.17).

It links to the proposals and names no entry by a link, so that it stands in nobody's graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.instants import format_day, format_instant
from engrain.lifecycle.dreaming.finding import STAGES, Dream, DreamFinding, DreamPlan, Stage
from engrain.lifecycle.reviewing.proposals import KIND, Proposal
from engrain.lifecycle.reviewing.staging import FOLDER
from engrain.model.links.link import as_label, write_link
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note, make_id
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.storage import hash_of

NAME = "digest.md"
_MOST = 200
"""Proposals of a kind that are listed."""
_NAMED = 3
"""Entries of a finding that are named."""
_REST = (
    ("known", "were proposed before"),
    ("covered", "are about what another finding settles"),
    ("skipped", "could not be proposed: what they are about changed"),
    ("capped", "more than a dream proposes: the next one has them"),
)


def compose_digest(store: Store, plan: DreamPlan, result: Dream) -> tuple[str, ...]:
    """The page, as lines; of a dry run of what it would propose."""
    return tuple(_compose(store, plan, result))


def write_digest(store: Store, plan: DreamPlan, lines: Sequence[str]) -> None:
    """Write the page beside the proposals; repeating it changes nothing."""
    place = make_locator(f"{FOLDER}/{plan.run}/{NAME}")
    body = clean_text(store, "\n".join(lines) + "\n")
    before = store.find_stored(place)
    id_ = store.read_entry(place).id if before else make_id(plan.at, store.entropy.draw(10))
    fields: dict[str, Value] = {
        "id": id_,
        "kind": KIND,
        "status": "proposed",
        "created": format_instant(plan.at),
        "generated": True,
        "run": plan.run,
        "source": stamp_source(store.actor, KIND, None),
    }
    note = compose_note(fields, body)
    check_size(note)
    if before is not None:
        if before.raw == note.raw:
            return
        store.preserve(place, before, id_)
    store.commit("index", [Write(place, note.raw, id_, hash_of(before))])


def _compose(store: Store, plan: DreamPlan, result: Dream) -> Iterator[str]:
    yield f"# Dream of {format_day(plan.at)}"
    yield ""
    waiting = sum(one.open for one in result.proposals)
    if result.dry_run:
        yield f"{len(result.findings)} would be proposed. Nothing was written."
    elif waiting:
        one = waiting == 1
        wait = "proposal waits" if one else "proposals wait"
        yield f"{waiting} {wait} for your decision until {'it expires' if one else 'they expire'}:"
        yield f"`engrain review list --run {plan.run}`, `engrain review show ID`,"
        yield f"`engrain review accept --all --run {plan.run}`."
    else:
        yield "Nothing new needs your decision."
    with store.index.view() as view:
        label_first = view.label_first
    for stage in STAGES:
        counts = result.stages.get(stage.kind, {})
        if any(counts.values()):
            yield from _show_stage(store, stage, counts, result, label_first)
    if result.problems:
        yield from ("", "## What failed", "")
        yield from (f"- {name}: {why}" for name, why in result.problems)


def _show_stage(
    store: Store, stage: Stage, counts: Mapping[str, int], result: Dream, label_first: bool
) -> Iterator[str]:
    proposals = [one for one in result.proposals if one.finder == stage.kind]
    found = [one for one in result.findings if one.kind == stage.kind]
    proposals.sort(key=lambda one: (not one.open, -(one.score or 0.0), one.target))
    lines = [_show(one, label_first) for one in proposals]
    lines += [f"- {one.action}: {_name(store, one)}: {one.reason}" for one in found]
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"- and {len(lines) - _MOST} more"]
    lines += [f"- {counts[what]} {words}" for what, words in _REST if counts.get(what)]
    title = f"{stage.meaning.capitalize()} ({len(proposals) or len(found)})"
    yield from ["", f"## {title}", "", *lines]


def _name(store: Store, finding: DreamFinding) -> str:
    rows = [store.find_exact(id_) for id_ in finding.entries[:_NAMED]]
    titles = [row.title for row in rows if row is not None]
    more = len(finding.entries) - _NAMED
    return " · ".join([*titles, *([f"{more} more"] if more > 0 else [])])


def _show(one: Proposal, label_first: bool) -> str:
    name = one.path.removesuffix(".md")
    link = write_link(name, as_label(one.title), label_first=label_first)
    state = "" if one.open else f" ({one.decision})"
    return f"- {link}{state}: {one.reason}" if one.reason else f"- {link}{state}"
