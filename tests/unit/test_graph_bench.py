"""The notes and questions by which the graph is measured."""

from __future__ import annotations

from bench.graph_effect import mention_links
from bench.linked import make_notes, read
from bench.multi_hop import make_web
from bench.sets.haystacks import Passage

from engrain.model.links.link import parse_links


def test_the_web_is_the_same_each_time() -> None:
    assert make_web() == make_web()
    assert make_web(1) != make_web(2)


def test_each_note_on_the_way_to_an_answer_links_to_the_next() -> None:
    web = make_web()
    notes = dict(web.notes)
    assert len(notes) == len(web.notes)
    assert {asked.kind for asked in web.questions} == {
        "one hop",
        "two hops",
        "three hops",
        "foreign",
    }
    for asked in web.questions:
        if asked.kind == "foreign":
            assert asked.way == ()
            continue
        assert asked.way[0] in asked.text
        assert not any(title in asked.text for title in asked.way[1:])
        for title, following in zip(asked.way, asked.way[1:], strict=False):
            assert following in {link.target for link in parse_links(notes[title])}


def test_whom_a_foreign_question_names_is_in_no_note() -> None:
    web = make_web()
    titles = {title for title, _ in web.notes}
    for asked in web.questions:
        if asked.kind == "foreign":
            assert not any(title in asked.text for title in titles)


def test_linked_notes_have_ten_links_each_and_the_same_text_without() -> None:
    linked = [read(path, raw) for path, raw in make_notes(1000, links=True)]
    bare = [read(path, raw) for path, raw in make_notes(1000, links=False)]
    assert [one.locator for one in linked] == [one.locator for one in bare]
    assert not any(one.links for one in bare)
    assert 9 < sum(len(one.links) for one in linked) / len(linked) < 11
    assert max(len(one.links) for one in linked) > 900
    assert linked[5].entry.text.startswith(bare[5].entry.text.rstrip())


def test_turns_are_linked_to_the_latest_that_named_the_same() -> None:
    said = ["we saw Lisbon", "and then Porto", "back in Lisbon, then Porto", "it rained"]
    passages = [
        Passage(f"D1:{n}", "Ann", text, thread="t", created=None) for n, text in enumerate(said)
    ]
    assert mention_links(passages) == {1: [], 2: [], 3: [1, 2], 4: []}
