"""`memory.review`, `memory.trust` and `memory.personal`: the operator's matters."""

# Requirements: S1.7, S1.17.

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence

from engrain.api.holder import Holder
from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.contradictions import list_contradictions
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.scope import When, read_when
from engrain.engine.history.verification import (
    Attestation,
    attest_again,
    attest_all,
    list_outside,
    recognise_key,
    survey_attestation,
)
from engrain.lifecycle.reviewing.staging import (
    Decision,
    Proposal,
    accept,
    accept_all,
    list_proposals,
    preview,
    propose,
    reject,
    show_proposal,
)
from engrain.lifecycle.upkeep.digest import Digest, make_digest, note_look
from engrain.model.errors import UsageError
from engrain.seam.derived import Progress
from engrain.seam.personal import Personal, Use
from engrain.seam.rows import Row


class Review(Holder):
    """What waits for the operator, and what happened since they last looked."""

    def list(
        self, action: str | None = None, *, decided: bool | None = False, run: str | None = None
    ) -> builtins.list[Proposal]:
        """List the open proposals, or the decided ones, or all where `decided` is None, oldest
        first; of one action and of one run if these are named."""
        return list_proposals(self._ready(look=True), action, decided=decided, run=run)

    def show(self, reference: str) -> tuple[Proposal, Sequence[str]]:
        """Read a proposal, and the lines of a diff of what accepting it would change now."""
        return show_proposal(self._open_store(), reference)

    def preview(self, proposal: Proposal) -> builtins.list[str]:
        """Return the lines of a diff of what accepting it would change now, none where there is
        nothing to show. The diff in its note is of when it was proposed, by whoever wrote it."""
        return preview(self._open_store(), proposal)

    def propose(self, action: str, target: str, reason: str = "") -> Outcome | None:
        """Propose an action on a target; None where the same is open already, or was decided while
        the target was as it is now. An open one for an earlier state of the target becomes stale.

        Raises UsageError for an unknown action, NotFoundError for a missing target, ConflictError
        for an impossible one.
        """
        return propose(self._ready(), action, target, reason)

    def accept(self, reference: str) -> Decision:
        """Do what is proposed in the operator's name, who agreed, and write the decision. Raises
        ConflictError for one that was decided or has expired, and for one whose target has changed,
        which is marked stale."""
        return accept(self._open_store(), reference)

    def accept_all(
        self, action: str | None = None, *, run: str | None = None
    ) -> builtins.list[Decision]:
        """Accept every open proposal, of one action and of one run if named, and return each
        decision, or the reason why there is none: proposals from outside, those that would let in
        entries from outside, and those that would retire an entry in favour of a less trusted one
        have to be accepted one by one."""
        return accept_all(self._open_store(), action, run=run)

    def reject(self, reference: str, reason: str = "") -> Decision:
        """Reject a proposal: it is not made again while its target stays as it is. Raises
        ConflictError for one that was decided or has expired."""
        return reject(self._ready(look=True), reference, reason)

    def contradictions(self) -> builtins.list[tuple[Row, Row]]:
        """Return each pair of active entries that contradict each other, the later one first."""
        return list_contradictions(self._ready(look=True))

    def digest(self, *, since: When | None = None, everything: bool = False) -> Digest:
        """Report what changed since the operator last looked, since a time, or (with `everything`)
        ever, and every use of the operator's own notes."""
        return make_digest(
            self._open_store(), self._open_personal, since=read_when(since), everything=everything
        )

    def note_look(self, digest: Digest) -> None:
        """Note that the operator has seen a digest: the next one begins after it."""
        note_look(self._open_store(), digest)


class Trust(Holder):
    """Vouching for entries, and the vault's key."""

    def attest(self, reference: str, reason: str = "") -> Outcome:
        """Make the operator the origin of an entry as it stands, without changing its bytes. The
        caller must have asked the operator. Raises NotFoundError, ConflictError."""
        return attest_entry(self._ready(look=True), reference, reason)

    def attest_all(self, reason: str = "") -> tuple[list[str], list[tuple[str, str]]]:
        """Attest every entry from outside in the operator's name, in one change; return their ids,
        and for each unreadable one its place and the reason. The caller has asked the operator."""
        return attest_all(self._ready(scan=True), reason)

    def outside(self) -> list[Row]:
        """List the active entries that come from outside, newest first."""
        return list_outside(self._ready(scan=True))

    def survey(self) -> Attestation:
        """Look up the state of the vault's key."""
        return survey_attestation(self._ready(scan=True))

    def recognise_key(self, holds: Callable[[bytes, str], bool]) -> bool | None:
        """Whether any record has a code that `holds`; None where no record has a code."""
        return recognise_key(self._open_store(), holds)

    def attest_again(self, progress: Progress | None = None) -> int:
        """Attest every entry anew, with the origin that its records name; return the number. This
        is for a vault whose key was lost: the codes of its records can't be checked, so the history
        is believed. Edits by other programs stay unattested."""
        return attest_again(self._ready(scan=True), progress)


class PersonalNotes(Holder):
    """The operator's own notes, which nothing else reaches.

    Each use must say with `authorize` that the operator asked for it, else it raises UsageError.
    ConfigError means that `personal.root` is not set or can't be used.
    """

    def open(self, *, authorize: bool = False, verb: str = "use", place: str = "") -> Personal:
        """Open the operator's own notes, which no other function reaches. `authorize` says that the
        operator asked for it; `verb` and `place` describe the use in the log and in the error.
        Raises UsageError, and logs the refusal, without it; ConfigError where `personal.root` is
        not set or can't be used."""
        personal = self._open_personal()
        if not authorize:
            personal.refuse(verb, place, UsageError.code)
            raise UsageError(
                f"would {verb} {place[:200]!a} in the operator's personal notes without"
                " authorization",
                remedy="if the operator asked for it, repeat with --authorize (Python:"
                " authorize=True)",
            )
        personal.check()
        return personal

    def uses(self, since: When | None = None) -> Sequence[Use]:
        """List every use of the operator's own notes that this device logged, refused ones too,
        from the time `since` on."""
        return self._open_personal().uses(read_when(since))
