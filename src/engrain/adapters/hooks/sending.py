"""Send what sessions taught to a memory on another machine.

A vault in this device's state learns from them, as any vault does. Its lessons and statements go to
the server, where the operator agreed to it; transcripts, episodes and what waits in the inbox stay.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Any

from engrain.adapters.hooks.distant import DistantServer, learned_folder, learns_afar, renew_token
from engrain.adapters.hooks.losses import Loss, note_loss
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.language.secrets.finding import redact
from engrain.model.errors import EngrainError, UsageError
from engrain.model.note.documents import list_of, parse_object, text_of
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE, STATED_KINDS
from engrain.resolution.files import read_text, replace_file
from engrain.resolution.settings import absolute_state_dir, load_settings
from engrain.seam.rows import Row

KINDS = ("fix", "decision", "workflow", "insight", "preference", "feedback")
_RENEWAL = 20.0
"""Seconds that the command for a new token may take."""


@dataclass(slots=True)
class Sending:
    """What became of the entries of one round: how many were `sent` and `withdrawn`, and a line for
    each that the server refused, or why it gave no answer."""

    sent: int = 0
    withdrawn: int = 0
    problems: list[str] = field(default_factory=list)


def send_learned(memory: Memory) -> Sending | None:
    """Send what `memory` learned since the last time; None where it is not the vault that learns
    for another machine, or the operator has not agreed. What can't be sent is sent another time,
    and the log of hooks says why."""
    settings = load_settings({}, os.environ, os.getcwd())
    state_dir = absolute_state_dir(settings["state_dir"].value, os.environ)
    is_learner = os.path.realpath(memory.where) == os.path.realpath(learned_folder(state_dir))
    if not is_learner or not learns_afar(settings):
        return None
    done = Sending()
    try:
        if why := renew_token(settings, state_dir, monotonic() + _RENEWAL):
            done.problems.append(why)
        _Sender(memory, DistantServer(settings, state_dir, os.getcwd()), done).run()
    except (EngrainError, OSError) as error:
        done.problems.append(error.message if isinstance(error, EngrainError) else str(error))
    for problem in done.problems:
        reason = f"what was learned is not sent: {problem}"
        note_loss(state_dir, Loss(time(), "learn", "", 0, reason), redact)
    return done


def count_sent(state_dir: str) -> int:
    """Return the number of entries that the server has from this device."""
    return len(
        [one for one in _read_sent(_file_of_sent(state_dir)).values() if list_of(one)[:1] != [""]]
    )


def _file_of_sent(state_dir: str) -> str:
    return os.path.join(state_dir, "remote", "sent.json")


def _read_sent(path: str) -> dict[str, Any]:
    """Read by the id here: the id and version there, and the digest of what was sent."""
    return parse_object((read_text(path) or "").encode())


class _Sender:
    def __init__(self, memory: Memory, server: DistantServer, done: Sending) -> None:
        self._memory = memory
        self._server = server
        self._done = done
        self._path = _file_of_sent(server.state_dir)
        self._sent = _read_sent(self._path)

    def run(self) -> None:
        """Send what is new or changed, the oldest first, and take back what is in force no more.
        Raises EngrainError where the server gives no answer, OSError."""
        scope = Scope(kinds=KINDS, all_projects=True, include_archive=True)
        rows = {row.id: row for row in reversed(self._memory.list(scope=scope).rows)}
        for row in rows.values():
            if row.status == ACTIVE:
                self._send(row)
        for id_ in list(self._sent):
            if self._there(id_) and not _is_in_force(rows.get(id_)):
                self._withdraw(id_)

    def _there(self, id_: str) -> str:
        return text_of(next(iter(list_of(self._sent.get(id_))), ""))

    def _send(self, row: Row) -> None:
        entry = self._memory.show(row.id).entry
        # Sessions and their lines are of this device.
        body = entry.text.partition("\nEvidence: session ")[0].strip() or row.title
        digest = hash_bytes(f"{row.kind}\0{row.project}\0{row.title}\0{body}".encode())[:16]
        if list_of(self._sent.get(row.id))[1:] == [digest]:
            return
        arguments = {"text": body, "title": row.title, "kind": row.kind}
        if row.kind in STATED_KINDS:
            arguments["stated_by"] = "user"
        there = self._there(row.id) or self._there(entry.supersedes or "")
        try:
            found = self._append(arguments, row.project, there)
        except UsageError as error:  # another time, and the others are sent nevertheless
            self._done.problems.append(f"{row.title[:80]}: {error.message}")
            return
        self._sent.pop(entry.supersedes or "", None)
        self._done.sent += 1
        self._note(row.id, [text_of(found.get("id")), digest])

    def _append(
        self, arguments: Mapping[str, str], project: str | None, there: str
    ) -> Mapping[str, Any]:
        """Add an entry in the place of the one that it replaces, else beside it, where that one is
        gone or somebody changed it. Raises UsageError, EngrainError."""
        if there:
            try:
                given = {**arguments, "supersedes": there}
                return self._server.call("memory_append", given, project or "")
            except UsageError:
                pass
        return self._server.call("memory_append", arguments, project or "")

    def _withdraw(self, id_: str) -> None:
        about = {"id": self._there(id_), "reason": "a session took it back"}
        try:
            self._server.call("memory_forget", about, "")
            self._done.withdrawn += 1
        except UsageError:
            pass  # it is gone there too
        self._note(id_, ["", ""])

    def _note(self, id_: str, about: Sequence[str]) -> None:
        """Save at once what became of an entry, so that a killed process sends none twice."""
        self._sent[id_] = list(about)
        replace_file(self._path, json.dumps(self._sent), private=True)


def _is_in_force(row: Row | None) -> bool:
    """Whether an entry holds; one that only faded into the archive does."""
    if row is None:
        return False
    return row.status == ACTIVE or (row.status == "archived" and row.valid_to is None)
