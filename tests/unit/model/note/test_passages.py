"""What of an entry is found by itself, and which thread it belongs to (S1.21)."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.facts.daily import sign_session
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import compose_note
from engrain.model.note.passages import MOST, embedded_text, hash_words, read_passages, thread_of

SENTENCE = "The nightly job takes the lock before it reads the table. "


def make_entry(text: str, *, kind: str = "fix", title: str = "Note", **fields: object) -> Entry:
    note = compose_note({"id": "a", "kind": kind, **fields}, f"# {title}\n\n{text}")  # type: ignore[dict-item]  # of the values' types
    return read_entry("Memory/fix/a.md", note.raw)


def passages(text: str, *, kind: str = "fix") -> list[str]:
    entry = make_entry(text, kind=kind)
    return [entry.text[part.start : part.end] for part in read_passages(entry)]


# Where one ends and the next begins


def test_a_short_note_is_one_passage() -> None:
    assert passages(SENTENCE * 3) == [(SENTENCE * 3).strip()]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n"])
def test_an_empty_note_has_a_passage_too(text: str) -> None:
    (part,) = read_passages(make_entry(text))
    assert (part.speaker, part.asks, part.heading) == ("", False, "")


def test_a_long_note_has_a_passage_for_each_of_its_headings() -> None:
    text = "".join(f"## {name}\n\n{SENTENCE * 5}\n\n" for name in ("One", "Two", "Three"))
    entry = make_entry(text)
    found = read_passages(entry)
    assert [part.heading for part in found] == ["One", "Two", "Three"]
    assert all(entry.text[part.start :].startswith("## ") for part in found)


def test_a_section_that_is_too_long_has_several_passages_under_its_heading() -> None:
    found = read_passages(make_entry(f"## One\n\n{SENTENCE * 30}\n\n## Two\n\n{SENTENCE * 5}"))
    assert [part.heading for part in found][-2:] == ["One", "Two"]
    assert len(found) >= 6
    assert all(part.end - part.start <= MOST for part in found)


def test_a_message_is_cut_like_any_text_and_its_speaker_holds_for_all_of_it() -> None:
    found = read_passages(make_entry("Ana: " + SENTENCE * 20, kind="memory"))
    assert len(found) >= 4
    assert {part.speaker for part in found} == {"ana"}


@given(st.text(st.sampled_from("ab #\n.?:\r\t*é字"), max_size=4000))
def test_passages_leave_out_nothing_but_blanks_and_do_not_overlap(text: str) -> None:
    entry = make_entry(text)
    found = read_passages(entry)
    assert found
    end = 0
    for part in found:
        assert end <= part.start <= part.end <= len(entry.text)
        assert not entry.text[end : part.start].strip()
        assert part.end - part.start <= MOST or len(found) == 1
        end = part.end
    assert not entry.text[end:].strip()


def transcript(count: int, *, speakers: tuple[str, ...] = ("Ana", "Ben")) -> str:
    return "\n\n".join(
        f"{speakers[n % len(speakers)]}: This is turn {n}. {SENTENCE * 2}".strip()
        for n in range(count)
    )


def test_a_long_transcript_has_a_passage_for_each_turn() -> None:
    found = read_passages(make_entry(transcript(30), kind="domain-reference"))
    assert len(found) == 30
    assert [part.speaker for part in found[:3]] == ["ana", "ben", "ana"]


def test_a_turn_that_is_too_long_is_cut_like_any_text() -> None:
    text = transcript(6) + "\n\nAna: " + SENTENCE * 60
    found = read_passages(make_entry(text))
    assert len(found) > 7
    assert all(part.end - part.start <= MOST for part in found)


@pytest.mark.parametrize(
    "text",
    [
        transcript(3),
        transcript(40, speakers=tuple(f"Person{chr(97 + n)}" for n in range(26))),
        f"{transcript(8)}\n\n" + "\n\n".join([SENTENCE * 2] * 40),
        "\n\n".join(f"Step {n}: {SENTENCE * 3}" for n in range(12)),
    ],
    ids=["short", "all different", "mostly prose", "numbered steps"],
)
def test_what_only_looks_like_a_transcript_is_none(text: str) -> None:
    assert all(not part.speaker for part in read_passages(make_entry(text)))


# Who speaks, and what is asked


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Ana: hello", "ana"),
        ("**Ana:** hello", "ana"),
        ("**Ana**: hello", "ana"),
        ("Ana Maria O'Neill: hello", "ana maria o'neill"),
        ("Zoë: hello", "zoë"),
        ("字: hello", "字"),
        ("12: hello", ""),
        ("Ana:hello", ""),
        ("One two three four five: hello", ""),
        ("hello", ""),
    ],
)
def test_a_fragment_names_its_speaker_at_its_head(text: str, speaker: str) -> None:
    (part,) = read_passages(make_entry(text, kind="memory"))
    assert part.speaker == speaker


def test_a_note_of_another_kind_names_none() -> None:
    (part,) = read_passages(make_entry("Cause: the pooler.", kind="fix"))
    assert part.speaker == ""


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is it?", True),
        ('She asked "where?"', True),
        ("**Where is it?**\n", True),
        ("Where is it? [shares a photo of a boat]", True),
        ("在哪里？", True),
        ("أين؟", True),
        ("Where is it? There.", False),
        ("a? b", False),
        ("", False),
        ("?" + " " * 2000, True),
        ("[" * 5000 + "?", True),
        ("? [" + "x" * 5000, False),
    ],
)
def test_a_passage_asks_if_it_ends_in_a_question(text: str, asks: bool) -> None:
    assert read_passages(make_entry(text, kind="memory"))[-1].asks is asks


_TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "/srv/app/module_{n}.py", line {n}, in handle_{n}\n'
    "    return self.dispatch(request, *args, **kwargs).result\n"
    for n in range(12)
)
_SCRIPT = "".join(f'if (a{n}) {{ console.log("Done. Next!"); return b; }}\n' for n in range(20))


@pytest.mark.parametrize(
    "text",
    [
        _TRACE,
        _SCRIPT,
        f"See:\n\n```js\n{_SCRIPT}```\n\nThen go.\n",
        f"```\n{_TRACE}```\n",
        "Run:\n\n" + "".join(f'    echo "Step {n}. Wait!" and go on\n' for n in range(30)),
        "".join(f"10:00:{n:02d} ERROR worker {n}: Failed. Retrying in 5 s!\n" for n in range(20)),
    ],
    ids=["trace", "script", "fenced script", "fenced trace", "indented", "log"],
)
def test_lines_of_code_and_traces_stay_whole(text: str) -> None:
    entry = make_entry(text, kind="memory")
    lines = {line.strip() for line in entry.text.splitlines()}
    found = passages(text, kind="memory")
    assert len(found) > 2
    for part in found:
        assert len(part) <= 350
        assert {part.splitlines()[0].strip(), part.splitlines()[-1].strip()} <= lines


# Threads

SESSION = {"kind": "session", "ref": "s1", "trust": "agent"}


@pytest.mark.parametrize(
    ("fields", "thread"),
    [
        ({"kind": "memory", "source": SESSION}, "session:s1"),
        ({"kind": "daily", "source": SESSION}, "session:s1"),
        ({"kind": "memory", "source": {**SESSION, "kind": "conversation"}}, "session:s1"),
        ({"kind": "memory", "source": {**SESSION, "kind": "mcp"}}, "session:s1"),
        ({"kind": "memory", "source": {**SESSION, "kind": "cli"}}, "session:s1"),
        ({"kind": "fix", "source": SESSION}, None),
        ({"kind": "memory", "source": {**SESSION, "kind": "api"}}, None),
        ({"kind": "memory", "source": {**SESSION, "ref": ""}}, None),
        ({"kind": "memory", "source": {**SESSION, "ref": 7}}, None),
        ({"kind": "memory", "source": {"kind": "session"}}, None),
        ({"kind": "memory", "derived_from": ["big-note", "other"]}, "note:big-note"),
        ({"kind": "memory", "derived_from": ["big-note"], "source": SESSION}, "session:s1"),
        ({"kind": "fix", "derived_from": ["big-note"]}, None),
        ({"kind": "memory"}, None),
    ],
)
def test_a_fragment_belongs_to_its_session_or_the_note_it_is_drawn_from(
    fields: dict[str, object], thread: str | None
) -> None:
    note = compose_note({"id": "a", **fields}, "# A\n\nText.")  # type: ignore[dict-item]  # of the values' types
    assert thread_of(read_entry("Memory/active/a.md", note.raw)) == thread


# Keys


def key(text: str, *, title: str = "Note") -> int:
    (part,) = read_passages(make_entry(text, title=title))
    return part.key


def test_a_key_changes_with_what_an_embedder_is_shown_and_with_nothing_else() -> None:
    assert key("Text.") == key("Text.\n\n")
    assert key("Text.") != key("Text!")
    assert key("Text.") != key("Text.", title="Other")
    (tagged,) = read_passages(make_entry("Text.", tags=["x"], status="archived"))
    assert tagged.key == key("Text.")
    assert -(2**63) <= key("Text.") < 2**63


def test_an_embedder_is_shown_the_title_and_the_headings_too() -> None:
    assert embedded_text("Note", "One > Two", "Text.") == "Note\nOne > Two\nText."
    assert embedded_text("", "", "Text.") == "Text."


# Time


@pytest.mark.parametrize(
    "piece",
    ["Ana: hello\n\n", "A", "A ", "A b c d ", "**", "?", "? [", "]", "Ana" * 12 + ": ", "\n",
     "Ana:\n", "x\n", " \n", "'-.", "字", "# h\n\n"],
)  # fmt: skip
def test_a_text_takes_time_by_its_length_whatever_it_is(piece: str) -> None:
    def spent(chars: int) -> float:
        entry = make_entry(piece * (chars // len(piece)), kind="memory")
        started = time.process_time()
        read_passages(entry)
        return time.process_time() - started

    assert spent(160_000) < 40 * max(spent(16_000), 0.005)


def test_the_lines_of_sessions_in_a_days_note_are_in_no_passage() -> None:
    lines = [sign_session(f"[shop] codex: Add route {n} – 1 task", f"0000-{n}") for n in range(9)]
    own = "- 09:15 Called the printer: the proofs come on Friday."
    text = "\n".join(f"- 10:0{n} {line}" for n, line in enumerate(lines))
    assert passages(f"{text}\n{own}\n{text}", kind="daily") == [own]
    assert passages(text, kind="daily") == [""]
    assert passages(f"{text}\n{own}")[0].startswith("- 10:00 [shop] codex: Add route 0")


@given(st.text(st.characters(max_codepoint=127), min_size=100))
def test_words_are_the_same_whether_or_not_a_text_has_letters_beyond_ascii(text: str) -> None:
    plain, other = hash_words(text + " word"), hash_words(text + " w\u00f6rd")
    spoken = [*re.findall(r"\w+", text.casefold()), "word"]
    assert plain == hash_words(" ".join(spoken).ljust(100)) != other
    assert other == hash_words("-".join([*spoken[:-1], "w\u00f6rd"]).ljust(100))
