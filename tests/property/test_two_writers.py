"""Two devices write to one store: an acknowledged write is never lost, a refused one never seen.

A state machine plays both against a dictionary, over every backend.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from contracts.backends import BACKENDS
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.history.line import GENESIS
from engrain.model.history.record import Record, check_link, decode_record
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend

DEVICES = ("laptop", "desktop")
LOCATORS = [
    Locator("MEMORY.md"),
    Locator("Memory/fix/pg-lock.md"),
    Locator("Memory/fix/ünïcødé.md"),
    Locator("Memory/_archive/fix/pg-lock.md"),
]

devices = st.sampled_from(DEVICES)
locators = st.sampled_from(LOCATORS)
texts = st.sampled_from([b"", b"one", b"two", b"\xef\xbb\xbf---\r\n"]) | st.binary(max_size=64)
contents = st.none() | texts
changes = st.dictionaries(locators, contents, min_size=1)
stale = st.sampled_from([None, hash_bytes(b""), hash_bytes(b"one"), hash_bytes(b"never written")])


def hash_of(raw: bytes | None) -> str | None:
    return None if raw is None else hash_bytes(raw)


class TwoWriters(RuleBasedStateMachine):
    backend = "ram"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.open = BACKENDS[self.backend](Path(self.folder))
        self.stores: dict[str, StorageBackend] = {device: self.open(device) for device in DEVICES}
        self.model: dict[Locator, bytes] = {}
        self.acknowledged: dict[str, list[Record]] = {device: [] for device in DEVICES}
        # Where a reader stands in each chain: the cursor, and the hash of the line before it.
        self.read_up_to: dict[str, tuple[str | None, str, int]] = dict.fromkeys(
            DEVICES, (None, GENESIS, 0)
        )

    def teardown(self) -> None:
        try:
            for device in DEVICES:
                self.read_up_to[device] = (None, GENESIS, 0)
            self.chains_hold_what_was_acknowledged()
        finally:
            self.open.close()
            shutil.rmtree(self.folder)

    def expect(self, change: dict[Locator, bytes | None]) -> dict[Locator, str | None]:
        return {locator: hash_of(self.model.get(locator)) for locator in change}

    def attempt(
        self, device: str, change: dict[Locator, bytes | None], expected: dict[Locator, str | None]
    ) -> None:
        """Commit, and have the answer agree with the model; nothing else may change."""
        store = self.stores[device]
        before = store.heads()
        writes = [Write(at, raw, f"entry {at}", expected[at]) for at, raw in change.items()]
        change_set = ChangeSet("save", writes, at=1.5)
        wrong = [at for at, hash_ in self.expect(change).items() if hash_ != expected[at]]
        if wrong:
            with pytest.raises(ConflictError) as caught:
                store.commit(change_set)
            assert wrong[0] in f"{caught.value.message} {caught.value.path}"
            assert store.heads() == before
            return
        record = store.commit(change_set)
        assert record.files is not None
        assert [(file.path, file.before_hash, file.after) for file in record.files] == [
            (at, expected[at], raw) for at, raw in change.items()
        ]
        self.acknowledged[device].append(record)
        for locator, raw in change.items():
            if raw is None:
                self.model.pop(locator, None)
            else:
                self.model[locator] = raw
        after = store.heads()
        assert {name for name in DEVICES if after.get(name) != before.get(name)} == {device}

    @rule(device=devices, change=changes)
    def change_knowing_what_is_there(
        self, device: str, change: dict[Locator, bytes | None]
    ) -> None:
        self.attempt(device, change, self.expect(change))

    @rule(device=devices, locator=locators, text=texts)
    def create(self, device: str, locator: Locator, text: bytes) -> None:
        self.attempt(device, {locator: text}, {locator: None})

    @precondition(lambda self: self.model)
    @rule(device=devices, data=st.data(), text=contents)
    def replace_or_remove(self, device: str, data: st.DataObject, text: bytes | None) -> None:
        locator = data.draw(st.sampled_from(sorted(self.model)))
        self.attempt(device, {locator: text}, {locator: hash_bytes(self.model[locator])})

    @precondition(lambda self: self.model)
    @rule(device=devices, data=st.data(), goal=locators)
    def move(self, device: str, data: st.DataObject, goal: Locator) -> None:
        source = data.draw(st.sampled_from(sorted(self.model)))
        if source != goal:
            change = {source: None, goal: self.model[source]}
            self.attempt(device, change, {source: hash_bytes(self.model[source]), goal: None})

    @rule(device=devices, change=changes, data=st.data())
    def change_on_stale_knowledge(
        self, device: str, change: dict[Locator, bytes | None], data: st.DataObject
    ) -> None:
        expected = self.expect(change)
        expected[data.draw(st.sampled_from(list(change)))] = data.draw(stale)
        self.attempt(device, change, expected)

    @rule(locator=locators, texts=st.tuples(texts, texts))
    def both_change_what_both_have_read(self, locator: Locator, texts: tuple[bytes, bytes]) -> None:
        read = {locator: hash_of(self.model.get(locator))}
        for device, text in zip(DEVICES, texts, strict=True):
            self.attempt(device, {locator: text}, read)

    @rule(device=devices)
    def restart(self, device: str) -> None:
        self.stores[device].close()
        self.stores[device] = self.open(device, create=False)
        assert self.stores[device].recover() == []

    @invariant()
    def both_see_every_acknowledged_write_and_no_other(self) -> None:
        for store in self.stores.values():
            assert {seen.locator for seen in store.scan()} == set(self.model)
            for locator in LOCATORS:
                try:
                    found: bytes | None = store.read(locator).raw
                except NotFoundError:
                    found = None
                assert found == self.model.get(locator)

    @invariant()
    def chains_hold_what_was_acknowledged(self) -> None:
        """Both chains verify; each device reads the other's on from where it stood."""
        for reader, writer in (DEVICES, DEVICES[::-1]):
            cursor, prev, n = self.read_up_to[writer]
            for link in self.stores[reader].chain(writer, cursor):
                cursor, n = link.cursor, n + 1
                assert check_link(link.line, link.payload, prev, n) is None
                prev = hash_bytes(link.line)
                found, told = (
                    decode_record(link.line, link.payload),
                    self.acknowledged[writer][n - 1],
                )
                assert found.change == told.change
                assert [(file.path, file.after) for file in found.files or ()] == [
                    (file.path, file.after) for file in told.files or ()
                ]
            assert n == len(self.acknowledged[writer])
            assert cursor == self.stores[reader].heads().get(writer)
            self.read_up_to[writer] = (cursor, prev, n)


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_writers_never_lose_an_acknowledged_write(backend: str) -> None:
    machine = type("TwoWritersOn", (TwoWriters,), {"backend": backend})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=40,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
