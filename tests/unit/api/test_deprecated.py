"""The names of yesterday work, warn, and end."""

from __future__ import annotations

from typing import Any

import pytest

import engrain
from engrain import Memory
from engrain.api.deprecated import ENDS, LAYOUTS, NEW
from unit.lifecycle.sessions.living import store_of


def find(holder: Any, path: str) -> Any:
    for part in path.split("."):
        holder = getattr(holder, part)
    return holder


METHODS = sorted(set(NEW) - set(vars(Memory)) - {"recall_in"})
SPACES = sorted(set(NEW) & set(vars(Memory)) - {"personal"})
"""Old names of what is a namespace now: `personal` alone needs an operator's own notes."""


def test_an_old_name_warns_and_means_the_new_one(memory: Memory) -> None:
    for old in METHODS:
        with pytest.warns(DeprecationWarning, match=f"`memory.{NEW[old]}` now, and ends") as caught:
            method = find(memory, old)
        assert caught[0].filename == __file__
        if old in LAYOUTS:
            assert method.args == (LAYOUTS[old],)
            method = method.func
        assert method.__func__ is find(memory, NEW[old]).__func__, old


def test_a_namespace_that_was_a_method_can_be_called(memory: Memory) -> None:
    for old in SPACES:
        with pytest.warns(DeprecationWarning, match=f"`memory.{NEW[old]}` now") as caught:
            found = find(memory, old)()
        assert caught[0].filename == __file__
        assert type(found) is type(find(memory, NEW[old])())


def test_a_namespace_that_never_was_a_method_can_not_be_called(memory: Memory) -> None:
    with pytest.raises(TypeError, match="'Facts' object is not callable"):
        find(memory, "facts")()


def test_a_recall_in_a_session_is_noted_as_before(memory: Memory) -> None:
    saved = memory.save("The quay is long.", title="Quay")
    with pytest.warns(DeprecationWarning, match="`memory.recall` now"):
        recall_in = find(memory, "recall_in")
    memory.sessions.begin("s1")
    assert [one.row.id for one in recall_in(None, "quay").given] == [saved.id]
    assert not recall_in("s1", "quay").given
    events = store_of(memory).journal.read("s1")
    assert [event.name for event in events] == ["start", "recalled", "recalled"]


def test_what_never_was_a_name_is_no_attribute(memory: Memory) -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        find(memory, "no_such_name")


def test_they_end_with_the_version_that_is_named() -> None:
    def parts(version: str) -> tuple[int, ...]:
        return tuple(map(int, version.split(".")))

    assert parts(engrain.__version__) < parts(ENDS), "remove engrain.api.deprecated now"
