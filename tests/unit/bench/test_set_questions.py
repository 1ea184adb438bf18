from __future__ import annotations

import pytest
from bench.sets.question_set import GoldQuestion
from bench.sets.questions import (
    leave_out,
    make_chats,
    make_notes,
    make_talk,
    read_foreign,
    read_own,
    with_limit,
)

from engrain.model.errors import MalformedError
from support.conversations import make_beam, make_locomo

_OWN = b'{"q": "which lock", "stem": "lock"}\n{"q": "which bread", "stem": "bread"}\n'


def _prompts(count: int, source: str = "") -> list[GoldQuestion]:
    return [GoldQuestion(f"foreign {n}", "?", frozenset(), group=source) for n in range(count)]


def test_talk_is_asked_by_turns_then_by_sessions() -> None:
    assert make_talk(make_locomo()).units == ["turn", "session"]


def test_foreign_prompts_are_dealt_out_among_the_chats() -> None:
    domain = make_chats(make_beam(), [*_prompts(5), *_prompts(3, "beam-question")])
    first, second = domain.known.haystacks["message"]
    assert [prompt.id for prompt in first.foreign] == ["foreign 0", "foreign 2", "foreign 4"]
    assert [prompt.id for prompt in second.foreign] == ["foreign 1", "foreign 3"]


def test_a_vault_of_notes_is_asked_every_foreign_prompt() -> None:
    domain = make_notes("mine", "/data/vault-mine", _OWN, _prompts(5))
    [haystack] = domain.known.haystacks["note"]
    assert haystack.folder == "/data/vault-mine"
    assert (len(haystack.questions), len(haystack.foreign)) == (2, 5)


def test_the_development_vaults_are_called_by_what_they_hold() -> None:
    names = {vault: make_notes(vault, "", _OWN, []).name for vault in ("dendron", "tldr", "mine")}
    assert names == {"dendron": "notes", "tldr": "command pages", "mine": "mine"}


def test_a_limit_holds_for_own_and_foreign_questions_of_each_vault() -> None:
    known = with_limit(make_notes("mine", "/data/mine", _OWN, _prompts(5)).known, 1)
    [haystack] = known.haystacks["note"]
    assert (len(haystack.questions), len(haystack.foreign)) == (1, 1)
    assert haystack.folder == "/data/mine"
    talk = make_talk(make_locomo()).known
    assert [len(each.questions) for each in with_limit(talk, 2).haystacks["turn"]] == [2, 2]
    assert with_limit(talk, None).skipped == talk.skipped == 1


def test_own_questions_name_the_files_that_answer() -> None:
    raw = (
        b'{"q": "which lock", "stem": "lock", "form": "words"}\n\n{"q": "tea", "stem": ["a", "b"]}'
    )
    lock, tea = read_own(raw)
    assert (lock.id, lock.text, lock.gold, lock.category) == (
        "1", "which lock", frozenset({"lock"}), "words",
    )  # fmt: skip
    assert (tea.id, tea.gold) == ("3", frozenset({"a", "b"}))


def test_foreign_prompts_have_a_form_without_names() -> None:
    (prompt,) = read_foreign(b'{"src": "talk-1", "q": "Where is Ann?", "nl": "Where is?"}')
    assert (prompt.text, prompt.nameless, prompt.group) == ("Where is Ann?", "Where is?", "talk-1")
    assert not prompt.gold


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no question"),
        (b'{"q": "why"}', "line 1: no stem"),
        (b'{"q": 1, "stem": "a"}', "q of line 1 is no text"),
        (b'{"q": "a", "stem": "b"}\n[]', "line 2 is no object"),
        (b"{", "line 1 is no JSON"),
        (b"\xff", "not UTF-8 text"),
    ],
)
def test_a_wrong_line_of_own_questions_is_named(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_own(raw)


@pytest.mark.parametrize(("raw", "said"), [(b"\n", "no prompt"), (b"{}", "q of line 1 is no text")])
def test_a_wrong_line_of_foreign_prompts_is_named(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_foreign(raw)


def test_prompts_of_the_domain_that_is_asked_are_left_out() -> None:
    sources = ("beam-question", "talk-1", "beam-prompt", "")
    prompts = [GoldQuestion(each, "?", frozenset(), group=each) for each in sources]
    assert [prompt.group for prompt in leave_out(prompts, "beam")] == ["talk-1", ""]
    assert leave_out(prompts, "") == prompts
