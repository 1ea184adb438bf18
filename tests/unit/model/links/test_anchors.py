"""What a link may name within a note (S1.11)."""

from __future__ import annotations

import time

import pytest

from engrain.model.links.anchors import Anchors, heading_key

BODY = """\
# The Note

Intro. ^intro

## My `code` Heading ##

A paragraph
of two lines. ^Two-Lines

### Sub_part: first

## Twice

## Twice

```
# not a heading
text ^not-a-block
```

Underlined
==========

> ## In a quote
> words
> ^quoted

## ✨
"""


@pytest.mark.parametrize(
    "fragment",
    [
        "The Note",
        "the note",
        "My code Heading",
        "My `code` Heading",
        "my-code-heading",
        "my-code-heading,1",
        "my-code-heading,1:#*",
        "my-code-heading:#twice",
        "My code Heading#Sub part first",
        "The Note#Sub part first",
        "Sub_part  first",
        "twice-1",
        "Underlined",
        "In a quote",
        "✨",
        "*",
        "^intro",
        "^INTRO",
        "^two-lines",
        "^quoted",
        "^begin:#^end",
        "Twice#^intro",
    ],
)
def test_a_heading_or_block_that_is_there_is_found(fragment: str) -> None:
    assert Anchors(BODY).has(fragment)


@pytest.mark.parametrize(
    "fragment",
    [
        "Other",
        "not a heading",
        "^not-a-block",
        "^other",
        "twice-2",
        "Sub part first#My code Heading",
        "Twice#The Note",
        "my-code-heading:#other",
        "🎈",
    ],
)
def test_one_that_is_not_there_is_not(fragment: str) -> None:
    assert not Anchors(BODY).has(fragment)


def test_line_ends_of_windows_make_no_difference() -> None:
    anchors = Anchors("# One\r\n\r\nText. ^b1\r\n\r\nTwo\r\n---\r\n")
    assert all(map(anchors.has, ["One", "^b1", "Two", "One#Two"]))


def test_headings_in_other_forms_of_unicode_are_the_same() -> None:
    assert heading_key("Café Straße") == heading_key("cafe\u0301 STRASSE")


@pytest.mark.parametrize(
    "body", ["# a\n", "# " + " #", " ^", "#", "> ", "=\n", "a\n---\n", "# a" + " " * 50 + "b", "\t"]
)
def test_reading_takes_time_linear_in_the_body(body: str) -> None:
    times = []
    for size in (20_000, 200_000):
        text = body * (size // len(body)) + "x"
        started = time.process_time()
        Anchors(text)
        times.append(time.process_time() - started)
    assert times[1] < max(0.05, times[0]) * 40
