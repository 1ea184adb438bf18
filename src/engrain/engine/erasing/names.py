"""The names, ids and texts by which traces of erased entries are recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from json import dumps
from urllib.parse import unquote

from engrain.language.text.folding import fold, name_key
from engrain.model.experience.continuity import GOAL_LINE
from engrain.model.facts.entity import FOLDER, ITEMS
from engrain.model.history.tombstone import (
    codes_of,
    name_message,
    seal_message,
    stem_of,
    text_message,
)
from engrain.model.note.documents import aliases_in
from engrain.model.note.entry import Entry
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import link_key

_WIKI = re.compile(
    r"!?\[\[ (?P<relation> \s*[\w-]++\s*::\s*+ )?+ (?P<target> [^\[\]|\r\n]++ )"
    r" (?: \| (?: [^\[\]\r\n] | \[[^\[\]\r\n]*+\] )*+ )?+ \]\]",
    re.VERBOSE,
)
_INLINE = re.compile(
    r"!?\[ (?: [^\[\]\\] | \\. | \[[^\[\]]*+\] )*+ \]"
    r"\( \s*+ (?P<target> <[^<>\r\n]*+> | (?: [^\s()<>] | \([^\s()]*+\) )++ )"
    r"""(?: \s++ (?: "[^"]*+" | '[^']*+' | \([^()]*+\) ) )?+ \s*+ \)""",
    re.VERBOSE | re.DOTALL,
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,60}+:", re.IGNORECASE)


def unlink(text: str, find: Callable[[str], str | None]) -> str:
    """Return `text` with the links whose target `find` knows leading to tombstones. `find` takes
    the name in a link and returns the stem of its tombstone, None for other links."""
    if "[" not in text:
        return text

    def rewrite_wiki(found: re.Match[str]) -> str:
        stem = find(unquote(found["target"].removesuffix("\\").partition("#")[0]))
        return f"[[{found['relation'] or ''}{stem}]]" if stem else found[0]

    def rewrite_inline(found: re.Match[str]) -> str:
        target = found["target"].removeprefix("<").removesuffix(">").partition("#")[0]
        stem = None if _SCHEME.match(target) else find(unquote(target))
        return f"[{stem}]({stem}.md)" if stem else found[0]

    return _INLINE.sub(rewrite_inline, _WIKI.sub(rewrite_wiki, text))


LEAST_TOLD = 8
"""Letters and digits of a name from which its occurrence in prose counts as a mention: a reason
that says `lock` is not about the note of that name."""
_MOST_CODES = 64
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
    document = getattr(entry.note, "document", None)
    if document is None:
        goals = goal_lines(entry.note.body) if entry.kind == "progress" else []
        lines = [line for line in entry.note.body.splitlines() if line not in goals]
        return "\n".join([entry.title, *lines])
    return dumps(document, ensure_ascii=False)


def digest_of(entry: Entry) -> str | None:
    """Return the digest that two notes with one text share, None for too short a text."""
    message = seal_message(entry)
    return None if message is None else hash_bytes(message)


class ErasedNames:
    """The names and texts of erased entries, without those that a remaining entry has too, such as
    a successor with the same title. `sign` makes the keyed code of a message, "" without a key.
    Passages of the `quoted` ones, by default of all, are looked for in other texts."""

    def __init__(
        self, ids: Iterable[str], sign: Callable[[bytes], str], quoted: Container[str] | None = None
    ) -> None:
        self.ids = dict.fromkeys(ids)
        self._sign = sign
        self._quoted = self.ids if quoted is None else quoted
        self._names: dict[str, str] = {link_key(id_): id_ for id_ in self.ids}
        self._codes: dict[str, str] = {}
        self._found: dict[str, str | None] = {}
        self._bodies: dict[str, dict[str, bytes]] = {id_: {} for id_ in self.ids}
        self._kept: Container[str] = ()
        self._said: list[str] = []
        self._folders: set[str] = set()
        self._own: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()

    def learn(self, entry: Entry) -> None:
        """Learn the names and texts of one version of an erased entry."""
        self._learn_folder(entry)
        for name in names_of(entry):
            self._names.setdefault(name, entry.id)
        words = _list_words(text_of(entry))
        self._own.update(word for word in words if len(word) >= _LEAST_OWN)
        if entry.id in self._quoted:
            self._runs.update(_list_runs(words, min(_RUN, len(words))))
        message = seal_message(entry)
        if message is not None and entry.id in self._bodies:
            self._bodies[entry.id][hash_bytes(message)] = message

    def learn_codes(self, tombstone: Entry) -> None:
        """Learn the codes in a tombstone that another device wrote."""
        self._learn_folder(tombstone)
        self._codes.update((code, tombstone.id) for code in codes_of(tombstone, "names"))

    def is_beside(self, path: str) -> bool:
        """Whether a file lies in the folder of an erased entity, which is its alone."""
        return path.rpartition("/")[0] in self._folders

    def _learn_folder(self, entry: Entry) -> None:
        folder = entry.path.rpartition("/")[0]
        if folder.startswith(f"{FOLDER}/"):
            self._folders.add(folder)

    def keep(self, names: Container[str], digests: Container[str]) -> None:
        """Exempt the names and texts that remaining entries have too; call it after learning."""
        own = {link_key(id_) for id_ in self.ids}
        self._kept = names
        self._names = {
            name: id_ for name, id_ in self._names.items() if name in own or name not in names
        }
        for id_, known in self._bodies.items():
            self._bodies[id_] = {key: text for key, text in known.items() if key not in digests}
        said = {_as_words(name).strip() for name in self._names}
        self._said = [name for name in said if len(name.replace(" ", "")) >= LEAST_TOLD]
        self._found.clear()

    def leave(self, entry: Entry) -> None:
        """Exempt the words of a remaining entry."""
        self._own.difference_update(_list_words(text_of(entry)))

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

    def find(self, name: str) -> str | None:
        """Return the stem of the tombstone for a link by this name, None for another's name."""
        owner = self.owner(name)
        return None if owner is None else stem_of(owner)

    def owner(self, name: str) -> str | None:
        """Return the erased entry that a link by this name meant, if any."""
        keys = (name_key(name), link_key(name))
        return next(filter(None, map(self._owner_of, dict.fromkeys(keys))), None)

    def _owner_of(self, key: str) -> str | None:
        if key not in self._found:
            id_ = self._names.get(key)
            if id_ is None and key and self._codes and key not in self._kept:
                id_ = self._codes.get(self._sign(name_message(key)))
            self._found[key] = id_
        return self._found[key]

    def unlink(self, text: str) -> str:
        """Return a text whose links to erased entries lead to tombstones."""
        return unlink(text, self.find)

    def says(self, body: str) -> bool:
        """Whether a note's body is the text of one of them."""
        message = text_message(body)
        return message is not None and self.had(hash_bytes(message))

    def had(self, digest: str | None) -> bool:
        """Whether a digest is that of one of their texts."""
        return digest is not None and any(digest in known for known in self._bodies.values())

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

    def seals(self, id_: str) -> list[str]:
        """Return the codes of the last texts of an entry."""
        return self._codes_of(list(self._bodies.get(id_, {}).values())[-_MOST_CODES:])

    def codes(self, id_: str) -> list[str]:
        """Return the codes of an entry's names."""
        own = [name for name, owner in self._names.items() if owner == id_]
        messages = [name_message(name) for name in own if name != link_key(id_)]
        return self._codes_of(messages[:_MOST_CODES])

    def _codes_of(self, messages: Iterable[bytes]) -> list[str]:
        return [code for code in map(self._sign, messages) if code]


def _list_words(text: str) -> list[str]:
    return _WORDS.findall(fold(text))


def _list_runs(words: list[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield the runs of `size` words, by which a copy is recognised; none if too short."""
    if size >= _LEAST_RUN:
        yield from zip(*(words[start:] for start in range(size)), strict=False)


def _as_words(text: str) -> str:
    """Return the folded words of a text, with a blank before and after each."""
    return f" {' '.join(_list_words(text))} "
