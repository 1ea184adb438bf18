"""The names, ids and texts by which copies of erased entries are recognised."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from json import dumps

from engrain.language.text.folding import fold, name_key
from engrain.model.experience.continuity import GOAL_LINE
from engrain.model.facts.entity import FOLDER, ITEMS
from engrain.model.facts.memory_page import key_of, own_lines, revise_page
from engrain.model.history.record import text_digest
from engrain.model.note.documents import aliases_in
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import link_key

LEAST_TOLD = 8
"""Letters and digits of a name from which its occurrence in prose counts as a mention: a reason
that says `lock` is not about the note of that name."""
_LEAST_OWN = 4
"""Letters of a word that shows that a prompt is about an erased note, if no other note has it."""
_RUN = 6
"""Words in a row that two texts share only if one was copied from the other."""
_LEAST_RUN = 3
_WORDS = re.compile(r"[^\W_]+")


def names_of(entry: Entry) -> set[str]:
    """Return the keys by which links may name an entry, except its id."""
    names = [entry.slug, entry.title, *aliases_in(entry.fields.get("aliases"))]
    keys = {link_key(entry.path), *map(name_key, names)}
    # The files of all entities have the same name.
    return {key for key in keys if key} - {link_key(entry.id), ITEMS}


def goal_lines(text: str) -> list[str]:
    """Return the lines of progress that state a phase's goal, which may come from a prompt."""
    return [line for line in text.splitlines() if line.lstrip("- ").startswith(GOAL_LINE)]


def text_of(entry: Entry) -> str:
    """Return all words of an entry's own: title and text, or every value of a record."""
    if not isinstance(entry.note, JsonNote):
        goals = goal_lines(entry.note.body) if entry.kind == "progress" else []
        lines = [line for line in entry.note.body.splitlines() if line not in goals]
        return "\n".join([entry.title, *lines])
    return dumps(entry.note.document, ensure_ascii=False)


class ErasedNames:
    """The names and texts of erased entries, without the names that a remaining entry has too, such
    as a successor with the same title. Passages of the `quoted` ones, by default of all, are looked
    for in other texts."""

    def __init__(self, ids: Iterable[str], quoted: Container[str] | None = None) -> None:
        self.ids = dict.fromkeys(ids)
        self._quoted = self.ids if quoted is None else quoted
        self._lines = {key_of(id_) for id_ in self.ids}
        self._names = {link_key(id_) for id_ in self.ids}
        self._digests: set[str] = set()
        self._said: list[str] = []
        self._folders: set[str] = set()
        self._own: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()

    def learn(self, entry: Entry) -> None:
        """Learn the names and texts of one version of an erased entry."""
        folder = entry.path.rpartition("/")[0]
        if folder.startswith(f"{FOLDER}/"):
            self._folders.add(folder)
        self._names |= names_of(entry)
        words = _list_words(text_of(entry))
        self._own.update(word for word in words if len(word) >= _LEAST_OWN)
        if entry.id in self._quoted:
            self._runs.update(_list_runs(words, min(_RUN, len(words))))
        if digest := text_digest(entry):
            self._digests.add(digest)

    def exempt_names(self, names: Container[str]) -> None:
        """Exempt the names that remaining entries have too; call it after learning."""
        own = {link_key(id_) for id_ in self.ids}
        self._names = {name for name in self._names if name in own or name not in names}
        said = {_as_words(name).strip() for name in self._names}
        self._said = [name for name in said if len(name.replace(" ", "")) >= LEAST_TOLD]

    def exempt_words(self, entry: Entry) -> None:
        """Exempt the words of a remaining entry."""
        self._own.difference_update(_list_words(text_of(entry)))

    def names_one(self, name: str) -> bool:
        """Whether a name in a link, or a path, is that of one of them."""
        return not self._names.isdisjoint((name_key(name), link_key(name)))

    def trim_page(self, body: str) -> str:
        """Return the page MEMORY.md without the unedited lines that were drawn from them."""
        own = own_lines(body)
        kept = {line.key: line.text for line in own if line.key not in self._lines}
        drawn = any(line.key in self._lines for line in own)
        return revise_page(body, kept, ()) if drawn else body

    def is_beside(self, path: str) -> bool:
        """Whether a file lies in the folder of an erased entity, which is its alone."""
        return path.rpartition("/")[0] in self._folders

    def tells(self, text: str) -> bool:
        """Whether a text from a prompt is about them: it mentions one, or has a word that no
        remaining note has."""
        return self.mentioned_in(text) or not self._own.isdisjoint(_list_words(text))

    def quoted_in(self, text: str) -> bool:
        """Whether a text has a passage of those that are `quoted`."""
        words = _list_words(text)
        return any(
            run in self._runs
            for size in {len(run) for run in self._runs}
            for run in _list_runs(words, size)
        )

    def had(self, digest: str | None) -> bool:
        """Whether a digest is that of one of their texts."""
        return digest in self._digests

    def mentioned_in(self, text: str) -> bool:
        """Whether a text has one of their ids or names, among those long enough to be theirs
        alone."""
        if any(id_ in text for id_ in self.ids if len(id_) >= LEAST_TOLD):
            return True
        words = _as_words(text)
        return any(f" {said} " in words for said in self._said)

    def proposed_in(self, path: str, text: str, fields: Mapping[str, object]) -> bool:
        """Whether a note in the staging area is about one of them."""
        proposal = fields.get("proposal")
        target = proposal.get("target") if isinstance(proposal, dict) else None
        whole = f"{path}\n{text}"
        return target in self.ids or self.mentioned_in(whole) or self.quoted_in(whole)


def _list_words(text: str) -> list[str]:
    return _WORDS.findall(fold(text))


def _list_runs(words: list[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield the runs of `size` words, by which a copy is recognised; none if too short."""
    if size >= _LEAST_RUN:
        yield from zip(*(words[start:] for start in range(size)), strict=False)


def _as_words(text: str) -> str:
    """Return the folded words of a text, with a blank before and after each."""
    return f" {' '.join(_list_words(text))} "
