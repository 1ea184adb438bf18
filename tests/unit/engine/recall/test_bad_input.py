"""Vaults and prompts that nobody would choose: the answer is right or silent, and no error."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.recalled import Recall
from support.vaults import START
from unit.engine.core.vault_files import put, titles

NOTE = "The nightly job takes an advisory lock before it reads the ledger. " * 3
CODE = {
    "retry": "def retry_request(call, attempts=5):\n    for attempt in range(attempts):\n"
    "        try:\n            return call()\n        except TimeoutError:\n"
    "            backoff(attempt)\n",
    "parse": "class LedgerParser:\n    def parse_line(self, line):\n"
    "        amount, currency = line.split(';')\n        return Money(amount, currency)\n",
    "serve": "func Serve(mux *http.ServeMux) error {\n"
    '\treturn http.ListenAndServe(":8080", mux)\n}\n',
}
CHINESE = {
    "备份": "每天晚上数据库快照会复制到第二个区域。",
    "证书": "通配符证书每年三月由人工更新。",
    "值班": "值班的人随身携带黄色电话。",
}
FOREIGN = [
    "Which vineyards near Zaragoza did Marguerite visit?",
    "How do penguins read the ocean currents of Patagonia?",
]
FRAMES = [
    ("gateway/dispatch.py", "dispatch", "response = handler(request)"),
    ("billing/views.py", "post_invoice", "invoice = service.issue(payload)"),
    ("billing/service.py", "issue", "self.repository.insert(invoice)"),
    ("billing/repository.py", "insert", "cursor.execute(INSERT, row)"),
    ("site-packages/psycopg/cursor.py", "execute", "raise ex.with_traceback(None)"),
]
TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "/srv/app/{path}", line {n * 7 + 12}, in {name}\n    {code}\n'
    for n, (path, name, code) in enumerate(FRAMES * 8)
)


def recall(memory: Memory, query: str) -> Recall:
    """What is recalled; the index must have answered."""
    found = memory.recall(query)
    assert found.degraded is None
    return found


# Vaults


def test_a_vault_of_one_note_answers_what_it_is_about_and_nothing_else(memory: Memory) -> None:
    memory.save(NOTE, title="Nightly lock", kind="fix")
    assert titles(recall(memory, "why does the nightly job take an advisory lock")) == [
        "Nightly lock"
    ]
    for query in FOREIGN:
        assert recall(memory, query).results == ()


@pytest.fixture
def copied(memory: Memory, vault: Path) -> Memory:
    """A hundred copies of one note under as many names, and three other notes."""
    for n in range(100):
        put(vault, f"copies/note-{n}.md", NOTE)
    for title, text in {
        "Ledger": "The ledger is closed on the third working day.",
        "Crane": "The crane is greased at noon.",
        "Advisory": "An advisory board meets about the ledger.",
    }.items():
        put(vault, f"others/{title}.md", f"# {title}\n\n{text}")
    memory.scan()
    return memory


def test_a_hundred_copies_of_a_note_come_as_one(copied: Memory) -> None:
    found = recall(copied, "why does the nightly job take an advisory lock")
    assert [one.text.strip() for one in found.results] == [NOTE.strip()]


def test_a_hundred_copies_keep_no_other_note_from_being_found(copied: Memory) -> None:
    assert titles(recall(copied, "when is the ledger closed"))[0] == "Ledger"
    assert titles(recall(copied, "who greases the crane")) == ["Crane"]
    assert set(titles(copied.recall("advisory ledger", profile="deep"))) >= {"Ledger", "Advisory"}


def test_a_hundred_copies_make_no_word_common(copied: Memory) -> None:
    found = copied.recall("advisory lock ledger crane", explain=True, profile="deep")
    assert found.explanation is not None
    frequencies = dict(found.explanation.words)
    assert frequencies == {"advisory": 2, "lock": 1, "ledger": 3, "crane": 1}


def test_short_words_said_again_and_again_in_a_talk_are_no_copies(memory: Memory) -> None:
    for turn in range(40):
        memory.save(
            "Ana: Thanks!", title=f"Turn {turn}", kind="memory", created=START + turn,
            source="session", ref="s", slug=f"turn-{turn}",
        )  # fmt: skip
    found = memory.recall("thanks Ben", explain=True, profile="deep")
    assert found.explanation is not None
    assert dict(found.explanation.words)["thanks"] == 40


def test_a_vault_of_code_is_found_by_what_it_calls_things(memory: Memory, vault: Path) -> None:
    for name, text in CODE.items():
        put(vault, f"snippets/{name}.md", f"# {name}\n\n```\n{text}```\n")
    assert titles(recall(memory, "TimeoutError in retry_request backoff"))[0] == "retry"
    assert titles(recall(memory, "LedgerParser parse_line amount currency"))[0] == "parse"
    for query in FOREIGN:
        assert recall(memory, query).results == ()


def test_a_chinese_vault_is_asked_in_chinese(memory: Memory) -> None:
    for title, text in CHINESE.items():
        memory.save(text, title=title, kind="fix")
    assert titles(recall(memory, "谁携带黄色电话"))[0] == "值班"
    assert titles(recall(memory, "通配符证书什么时候更新"))[0] == "证书"
    assert recall(memory, "企鹅如何阅读洋流").results == ()
    for query in FOREIGN:
        assert recall(memory, query).results == ()


# Prompts


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.save(NOTE, title="Nightly lock", kind="fix")
    memory.save("The card processor sends a webhook again.", title="Webhooks", kind="fix")
    memory.save("Pull requests stay under three hundred lines.", title="Review", kind="fix")
    return memory


def test_a_prompt_of_one_word_gets_what_has_it(filled: Memory) -> None:
    assert titles(recall(filled, "webhook")) == ["Webhooks"]
    assert recall(filled, "zebra").results == ()


@pytest.mark.parametrize("query", ["the of and", "what is it", "why not", "?", " ", "\0", "\ud800"])
def test_a_prompt_without_a_telling_word_gets_nothing(filled: Memory, query: str) -> None:
    assert recall(filled, query).results == ()


@pytest.mark.parametrize("piece", ["lorem ipsum dolor ", "x", "webhook ", "数据库", "a\n"])
def test_of_a_prompt_of_ten_megabytes_the_head_is_read(filled: Memory, piece: str) -> None:
    query = piece * (10_000_000 // len(piece))
    found = recall(filled, query)
    assert titles(found) == (["Webhooks"] if piece == "webhook " else [])


def test_a_stack_trace_finds_the_note_about_its_error_and_else_nothing(filled: Memory) -> None:
    assert recall(filled, TRACE + "KeyError: 'marguerite'").results == ()
    filled.save(
        "psycopg.errors.InvalidSqlStatementName comes from cursor.execute behind the pooler, which"
        " drops prepared statements: prepare_threshold=None in billing/repository.py.",
        title="Prepared statements",
        kind="fix",
    )
    found = recall(filled, f"{TRACE}psycopg.errors.InvalidSqlStatementName: prepared statement")
    assert titles(found) in (["Prepared statements"], [])
    error = "psycopg.errors.InvalidSqlStatementName: prepared statement does not exist"
    assert titles(recall(filled, error)) == ["Prepared statements"]
