from __future__ import annotations

from engrain.evaluation.domains import make_chats, make_notes, make_talk, with_limit
from engrain.evaluation.haystack import Question
from support.conversations import make_beam, make_locomo

_OWN = b'{"q": "which lock", "stem": "lock"}\n{"q": "which bread", "stem": "bread"}\n'


def _prompts(count: int, source: str = "") -> list[Question]:
    return [Question(f"foreign {n}", "?", frozenset(), group=source) for n in range(count)]


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
