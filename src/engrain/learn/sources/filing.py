"""Chats filed turn by turn: each turn is an entry, and those of a conversation are a thread, in
which one is found by what was said around it.

A turn is known by its conversation and by what was said, so that importing again adds what is new
and leaves the rest, whatever became of it here.
"""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.outcomes import CREATED, LEFT_OUT, Imported
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.verbs.intake import ImportIntake, Terms
from engrain.engine.verbs.save import check_size, compose_body, stamp_source
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.learn.sources.reading import ReadCounts, read_paths
from engrain.model.errors import NotFoundError
from engrain.model.facts.fact import AGENT, CONVERSATION, DOCUMENT, OPERATOR, Conversation, Turn
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note, hash_bytes, make_id
from engrain.model.note.tiers import ACTIVE, DEFAULT_KIND, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator

_CALLED = {OPERATOR: "User", AGENT: "Assistant"}
_LONGEST_NAME = 60
_SHOWN = 60
"""Characters of a turn that a message about a problem with it quotes."""
_DRAWN = 10


def import_chats(
    store: Store,
    paths: Iterable[str],
    *,
    project: str | None = None,
    allow_erased: bool = False,
    terms: Terms | None = None,
) -> Imported:
    """Take in the chats in some files and folders, an entry a turn: exports of ChatGPT and
    Claude, sessions of agents, transcripts of speech. Turns of one conversation are a thread,
    in which one is found by what was said around it. Importing again adds what is new.
    `allow_erased` and `terms` as of `import_folder`. Raises NotFoundError, UsageError,
    ForbiddenPathError before anything is read."""
    store = store.allowing_erased(allow_erased)
    filing = _Filing(store.as_one_change(), project, terms or Terms())
    read_counts = ReadCounts()
    for reading in read_paths(store, paths, read_counts):
        filing.take(reading.file, reading.conversation)
    for problem in read_counts.problems:
        filing.done.count(LEFT_OUT)
        filing.done.tell(problem.file or problem.source, problem.message)
    filing.intake.flush()
    return filing.done


class _Filing:
    def __init__(self, store: Store, project: str | None, terms: Terms) -> None:
        self._store = store
        self._project = project or store.project
        self._folder = kind_of(DEFAULT_KIND).folder
        self._told: tuple[str, float] = ("", 0.0)
        self.intake = ImportIntake(store, "chats", terms)
        self.done = self.intake.done

    def take(self, file: str, said: Conversation) -> None:
        """File the turns of a conversation, or of a piece of one."""
        turns = list(said.turns)
        if all(turn.role == DOCUMENT for turn in turns):
            self.done.count(LEFT_OUT)
            self.done.tell(file, "nobody speaks in it: `engrain import` takes notes")
            return
        for turn in turns:
            with self.intake.telling(f"{said.ref}: {turn.text[:_SHOWN]}"):
                self._file(said, turn)
            self.intake.flush_full()

    def _file(self, said: Conversation, turn: Turn) -> None:
        redaction = Redaction(self._store)
        ref, speaker, text = map(redaction.clean, (said.ref, turn.speaker, turn.text))
        self.done.redacted += bool(redaction.rules)
        parts = (said.ref, turn.key, turn.role, turn.speaker, turn.text)
        drawn = bytes.fromhex(hash_bytes("\0".join(parts).encode(errors="replace")))[:_DRAWN]
        slug = f"{slugify(ref, 'chat')[:_LONGEST_NAME].strip('-')}-{drawn.hex()[:12]}"
        at = self._time_of(said, turn)
        locator = make_locator(f"{self._folder}/{slug}.md")
        try:
            there = self._store.read_entry(locator)
        except NotFoundError:
            pass
        else:
            if not self.intake.stays_deleted(ref, there):
                self.intake.settle(ref, there, None, came_by_it=True, same=True)
            return
        title, body = _compose(speaker, turn.role, text)
        fields: dict[str, Value] = {
            "id": make_id(at, drawn),
            "kind": DEFAULT_KIND,
            "status": ACTIVE,
            "created": format_instant(at),
            "updated": self._store.now,
            "source": stamp_source(self.intake.actor, CONVERSATION, ref),
        }
        if self._project:
            fields["project"] = self._project
        note = compose_note(fields, body)
        check_size(note)
        write = Write(locator, note.raw, str(fields["id"]))
        self.intake.batches.add(f"{ref}: {title}", CREATED, write)

    def _time_of(self, said: Conversation, turn: Turn) -> float:
        """Return when a turn was said, at least a second after the one before it."""
        at = turn.at if turn.at is not None else said.at
        at = self._store.clock.now() if at is None else at
        ref, last = self._told
        if ref == said.ref:
            at = max(at, last + 1)
        self._told = (said.ref, at)
        return at


def _compose(speaker: str, role: str, text: str) -> tuple[str, str]:
    """Return the title and the body of a turn, which name who said it. A person's name stands in
    the body, since people are searched for by name; the user and the assistant are in every chat,
    and so only in the title."""
    if speaker:
        return compose_body(None, f"{speaker}: {text}")
    title, body = compose_body(None, text)
    if role not in _CALLED:
        return title, body
    return compose_body(f"{_CALLED[role]}: {title}", text)
