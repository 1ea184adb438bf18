"""The note that an insight becomes: what its sources say together, quoted and cited (S1.17)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import is_free
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.copies.shared_statements import ALIKE, list_statements, share
from engrain.language.text.lines import quote_links, shorten
from engrain.language.text.sentences import Sentence
from engrain.language.text.slugs import slugify
from engrain.lifecycle.dreaming.insights import LEAST_NOTES
from engrain.lifecycle.reviewing.joint import Rewrite, require_active
from engrain.model.errors import ConflictError
from engrain.model.links.link import UNLINKABLE, as_label, write_link
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.kinds import kind_of
from engrain.seam.locator import Locator, make_locator

KIND = "insight"
_SOURCE = "dream"
_TITLE = 100
_QUOTE = 400


def plan_insight(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """The note that says what all of some entries say, in the words of the first; it is trusted no
    more than any of them. Raises ConflictError where they say nothing together."""
    if len(entries) < LEAST_NOTES:
        raise ConflictError(f"{len(entries)} notes are no witnesses: it takes {LEAST_NOTES}")
    require_active(entries)
    quotes = _find_common(entries)
    if quotes is None:
        raise ConflictError("they say nothing together any more")
    redaction = Redaction(store)
    title = redaction.clean(shorten(quotes[0].text.strip(" .:;*_`#"), _TITLE))
    ids = [entry.id for entry in entries]
    actor = acting_from(store, ids)
    projects = {entry.project for entry in entries}
    fields: dict[str, Value] = {
        "kind": KIND,
        "slug": slugify(title, KIND),
        "project": projects.pop() if len(projects) == 1 else None,
        "tags": [*_common_tags(entries)] or None,
        "derived_from": [*ids],
    }
    with store.index.view() as view:
        label_first = view.label_first
    cited = [
        f"- {_cite(entry, label_first)}: “{quote_links(shorten(quote.text, _QUOTE))}”"
        for entry, quote in zip(entries, quotes, strict=True)
    ]
    lines = [f"# {title}", f"{len(entries)} notes say this, each in its own words:", "", *cited]
    body = redaction.clean("\n".join(lines) + "\n")
    note = compose_new(store, fields, body, stamp_source(actor, _SOURCE, None))
    return [Rewrite(None, note, _free_place(store, str(fields["slug"])), actor)]


def _find_common(entries: Sequence[Entry]) -> list[Sentence] | None:
    """The statement that all of them make, as each makes it: of several the longest."""
    said = [list_statements(entry.text) for entry in entries]
    found: list[list[Sentence]] = []
    for statement in said[0]:
        voices = [statement]
        for others in said[1:]:
            best = max(others, key=lambda other: share(statement, other), default=None)
            if best is None or share(statement, best) < ALIKE:
                break
            voices.append(best)
        if len(voices) == len(said):
            found.append(voices)
    return max(found, key=lambda voices: len(set(voices[0].words)), default=None)


def _common_tags(entries: Sequence[Entry]) -> list[str]:
    return [tag for tag in entries[0].tags if all(tag in entry.tags for entry in entries)]


def _cite(entry: Entry, label_first: bool) -> str:
    """A link to a source that bears its title."""
    name = entry.path.removesuffix(".md")
    target = entry.id if UNLINKABLE.search(name) else name
    return write_link(target, as_label(entry.title), label_first=label_first)


def _free_place(store: Store, slug: str) -> Locator:
    """Raises ConflictError."""
    folder = kind_of(KIND).folder
    for number in range(1, 100):
        place = make_locator(f"{folder}/{slug}{'' if number == 1 else f'-{number}'}.md")
        if is_free(store, place):
            return place
    raise ConflictError(f"no free name for {slug!r}", path=folder)
