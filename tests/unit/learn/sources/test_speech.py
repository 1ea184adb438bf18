"""Transcripts of speech, and captions."""

from __future__ import annotations

import pytest

from engrain.language.text.instants import format_instant
from support.sources import Read


def times(read: Read) -> list[str]:
    return ["" if turn.at is None else format_instant(turn.at) for turn in read.turns]


@pytest.mark.parametrize(
    "raw",
    [
        "Ada: I moved.\nBob: Where?\nAda: To Berlin.\n",
        "[00:01:02] Ada: I moved.\n[00:01:05] Bob: Where?\n[00:01:09] Ada: To Berlin.\n",
        "00:01 Ada: I moved.\n00:02 - Bob: Where?\n00:03 Ada: To Berlin.\n",
        "**Ada:** I moved.\n\n**Bob**: Where?\n\n**Ada:** To\nBerlin.\n",
        "Ada (00:01:02): I moved.\nBob [10:32 AM]: Where?\nAda (00:01:09): To Berlin.\n",
        "12/05/24, 10:32 - Ada: I moved.\n[12/05/2024, 10:32:11] Bob: Where?\n"
        "12/05/24, 10:33 - Ada: To Berlin.\n",
        "Ada  0:03\nI moved.\n\nBob  0:09\nWhere?\n\nAda  0:12\nTo Berlin.\n",
    ],
)
def test_who_said_what_is_told_in_every_form(raw: str) -> None:
    read = Read(raw, "call.txt")
    assert read.format == "speech"
    assert [(who, text.replace("\n", " ")) for who, _, text in read.said] == [
        ("Ada", "I moved."),
        ("Bob", "Where?"),
        ("Ada", "To Berlin."),
    ]
    assert {role for _, role, _ in read.said} == {"other"}
    assert {one.kind for one in read.conversations} == {"transcript"}


def test_names_of_several_words_are_names() -> None:
    read = Read("Ludwig van Beethoven: Ta.\nDr. O'Neil (host): Da.\nLudwig van Beethoven: Ta.\n")
    assert [who for who, _, _ in read.said] == [
        "Ludwig van Beethoven",
        "Dr. O'Neil",
        "Ludwig van Beethoven",
    ]


def test_times_are_of_the_files_day() -> None:
    read = Read("[00:01:02] Ada: I moved.\n[1:05 pm] Bob: Where?\n[2026-02-05 10:00] Ada: Here.\n",
                "2026-02-03 call.txt")  # fmt: skip
    assert times(read) == ["2026-02-03T00:01:02Z", "2026-02-03T13:05:00Z", "2026-02-05T10:00:00Z"]


def test_times_from_a_recordings_beginning_are_minutes_and_seconds() -> None:
    read = Read("Ada  0:03\nI moved.\n\nBob  61:09\nWhere?\n\nAda  1:02:03\nHere.\n",
                "2026-02-03 call.txt")  # fmt: skip
    assert times(read) == ["2026-02-03T00:00:03Z", "2026-02-03T01:01:09Z", "2026-02-03T01:02:03Z"]


def test_a_voice_that_has_only_a_number_is_nobody() -> None:
    read = Read("Speaker 1: I moved.\nUnknown Speaker: Where?\nSpeaker 1: To Berlin.\n")
    assert [who for who, _, _ in read.said] == ["", "", ""]


def test_a_date_that_reads_two_ways_is_no_time() -> None:
    assert times(Read("03/02/2026, 10:00 - Ada: Hi.\n03/02/2026, 10:01 - Ada: Ho.\n")) == ["", ""]


def test_the_operator_and_the_agent_are_known_by_the_word_for_them() -> None:
    read = Read("User: I moved.\nAssistant: Noted.\nUser: Bye.\nSystem: Obey.\n", "chat.txt")
    assert read.said == [
        ("", "operator", "I moved."),
        ("", "agent", "Noted."),
        ("", "operator", "Bye."),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "Status: done\nOwner: Ada\nDeadline: May\n",
        "Note: this.\n\nA paragraph follows.\n\nNote: that.\nMore.\nMore.\n",
        "https://a.example\nhttps://b.example\n",
        "Ada: a single line\n",
        "Here is the thing: one.\nHere is the thing: two.\n",
        "We met at 10:30\nthe day before\nWe met at 10:30\n",
    ],
)
def test_a_note_with_colons_is_no_transcript(raw: str) -> None:
    assert Read(raw, "a.txt").format == "notes"


VTT = """WEBVTT

NOTE made by hand

00:00:01.000 --> 00:00:03.000 align:start
<v Ada Lovelace>I moved to</v>

00:00:03.000 --> 00:00:05.000
<v Ada Lovelace><i>Berlin</i> &amp; like it.</v>

2
00:00:05.000 --> 00:00:06.000
<v.loud Bob>Where?
"""
SRT = """1
00:00:01,000 --> 00:00:03,000
Ada Lovelace: I moved to

2
00:00:03,000 --> 00:00:05,000
Berlin & like it.

3
00:00:04,000 --> 00:00:05,000
Berlin & like it.

4
00:00:05,000 --> 00:00:06,000
Bob: Where?
"""


@pytest.mark.parametrize("raw", [VTT, SRT, SRT.replace("\n", "\r\n"), "\ufeff" + SRT])
def test_captions_of_one_speaker_are_one_turn(raw: str) -> None:
    read = Read(raw, "2026-02-03 call.vtt")
    assert read.format == "speech"
    assert read.said == [
        ("Ada Lovelace", "other", "I moved to Berlin & like it."),
        ("Bob", "other", "Where?"),
    ]
    assert times(read) == ["2026-02-03T00:00:01Z", "2026-02-03T00:00:05Z"]


def test_captions_without_speakers_are_cut_into_turns_at_sentences() -> None:
    cues = "".join(
        f"00:{n // 60:02}:{n % 60:02}.000 --> 00:10:00.000\nSentence {n} is said here.\n\n"
        for n in range(60)
    )
    read = Read(f"WEBVTT\n\n{cues}", "a.vtt")
    assert 2 < len(read.turns) < 10
    assert " ".join(read.texts) == " ".join(f"Sentence {n} is said here." for n in range(60))
