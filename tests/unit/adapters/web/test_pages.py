"""The pages show what the memory holds, and looking at them changes nothing."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from engrain import Memory
from engrain.adapters.hooks.losses import Times
from engrain.adapters.web.app import ROUTES
from engrain.adapters.web.asking import Around, StatusLine
from engrain.adapters.web.working import ConsoleWork
from engrain.lifecycle.sessions.sessions import note_recalled, note_used
from engrain.model.errors import LockedError
from engrain.seam.job_log import JobRun
from support.vaults import FakeClock
from unit.adapters.web.visiting import Browser

LOCK = "Take an advisory lock before the nightly job, or two of them run at once."


def save_some(memory: Memory) -> str:
    """Save three entries; the id of the one about locks."""
    lock = memory.save(LOCK, title="Nightly lock", kind="fix", tags=["postgres"])
    memory.save("See [[nightly-lock]] before you change the schedule.", title="Schedule")
    memory.save("We ship on Fridays.", title="Release day", kind="decision")
    return lock.id


def bytes_under(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_home_tells_what_is_there_and_what_to_do_where_nothing_is(
    memory: Memory, browser: Browser
) -> None:
    assert "Nothing is remembered yet" in browser.get("/").text
    save_some(memory)
    text = browser.get("/").text
    assert "3 active entries" in text
    assert "An agent saved Nightly lock" in text
    assert "Nothing waits for you" in text


def test_search_shows_what_an_agent_would_get_and_why(memory: Memory, browser: Browser) -> None:
    save_some(memory)
    seen = browser.get("/search", q="advisory lock nightly job", why="1")
    assert "Nightly lock" in seen.text
    assert "Recalled data, not instructions" in seen.text
    assert "tokens" in seen.text
    assert any(one.tag == "rect" for one in seen.page.elements)
    assert "{" not in seen.text.partition("The block")[0]


def test_search_without_words_lists_by_filter(memory: Memory, browser: Browser) -> None:
    save_some(memory)
    seen = browser.get("/search", kind="decision")
    assert "Release day" in seen.text
    assert "Nightly lock" not in seen.text


def test_a_filter_that_means_nothing_is_refused_in_a_line(browser: Browser) -> None:
    for wrong in ({"since": "yesterdayish"}, {"profile": "x", "q": "y"}, {"limit": "-1"}):
        assert browser.get("/search", **wrong).status == 400


def test_looking_and_searching_leave_no_trace(memory: Memory, browser: Browser, away: Path) -> None:
    id_ = save_some(memory)
    before, at = memory.show(id_).entry, bytes_under(away / "vault")
    events = memory.journal.read("")
    for path in [path for method, path, _ in ROUTES if method == "GET"]:
        browser.get(path, id=id_, q="advisory lock nightly job")
    after = memory.show(id_).entry
    assert (after.recall_count, after.last_recalled) == (before.recall_count, before.last_recalled)
    assert bytes_under(away / "vault") == at
    assert memory.journal.read("") == events == []


def test_an_entry_shows_its_text_links_origin_and_history(memory: Memory, browser: Browser) -> None:
    id_ = save_some(memory)
    text = browser.get("/entry", id=id_).text
    for told in (
        LOCK,
        "Saved by an agent on",
        "not confirmed by you",
        "from Schedule",
        "An agent saved",
    ):
        assert told in text
    linked = browser.get("/entry", id="schedule")
    assert any("nightly-lock" in one.attributes.get("href", "") for one in linked.page.elements)


def test_an_unknown_entry_is_not_found(browser: Browser) -> None:
    seen = browser.get("/entry", id="nobody")
    assert (seen.status, "no entry nobody" in seen.text) == (404, True)


def test_a_vault_that_has_gone_is_reported_by_the_page(
    memory: Memory, browser: Browser, vault: Path
) -> None:
    save_some(memory)
    vault.rename(vault.with_name("away"))
    seen = browser.get("/search", q="lock")
    assert seen.status == 503
    assert "vault" in seen.text
    vault.with_name("away").rename(vault)
    assert browser.get("/search", q="lock").status == 200


def test_the_graph_draws_what_is_around_an_entry_and_the_same_each_time(
    memory: Memory, browser: Browser
) -> None:
    id_ = save_some(memory)
    assert "2 entries, 1 edge" in browser.get("/graph").text
    seen = browser.get("/graph", id=id_)
    assert "2 entries, 1 edge" in seen.text
    assert len([one for one in seen.page.elements if one.tag == "circle"]) == 2
    assert browser.get("/graph", id=id_).html == seen.html
    assert "1 entry, 0 edges" in browser.get("/graph", id=id_, kind="decision").text
    assert "1 entry, 0 edges" in browser.get("/graph", id=id_, as_of="2020-01-01").text
    assert "2 entries, 1 edge" in browser.get("/graph", id=id_, as_of="2040-01-01").text


def test_names_in_the_drawn_graph_never_overlap(memory: Memory, browser: Browser) -> None:
    memory.save("The hub of all.", title="The hub that has many spokes", slug="hub")
    for number in range(30):
        memory.save(f"See [[hub]], {number}.", title=f"A spoke with a very long name {number:02}")
    elements = browser.get("/graph").page.elements
    names = [one.attributes for one in elements if one.tag == "text"]
    at = [(float(one["x"]), float(one["y"])) for one in names]
    assert 1 < len(at) < 31
    assert not [
        (one, other)
        for one in at
        for other in at
        if one != other and abs(one[0] - other[0]) < 26 * 6 and abs(one[1] - other[1]) < 12
    ]


def test_the_drawn_graph_holds_every_entry(memory: Memory, browser: Browser) -> None:
    save_some(memory)
    elements = browser.get("/graph").page.elements
    box = next(
        one.attributes["viewbox"] for one in elements if one.attributes.get("class") == "graph"
    )
    left, top, wide, high = map(float, box.split())
    drawn = [one.attributes for one in elements if one.tag == "circle"]
    assert len(drawn) == 2
    for one in drawn:
        assert left < float(one["cx"]) < left + wide
        assert top < float(one["cy"]) < top + high


def test_where_nothing_is_linked_the_graph_says_how_to_link(browser: Browser) -> None:
    assert "No entry links to another yet" in browser.get("/graph").text


def test_a_large_graph_is_drawn_without_the_titles_of_its_edges(
    memory: Memory, browser: Browser, vault: Path
) -> None:
    folder = vault / "Memory" / "active"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(40):
        links = " ".join(f"[[node-{other}]]" for other in range(40) if other != number)
        (folder / f"node-{number}.md").write_text(f"# Node {number}\n\n{links}\n")
    memory.scan()
    seen = browser.get("/graph", id="node-0")
    titles = [one.tag for one in seen.page.elements].count("title")
    assert "40 entries, 1560 edges" in seen.text
    assert titles == 1 + 40
    assert "As a table: the first 1000 edges" in seen.text


def test_an_edit_by_another_program_is_on_a_page_soon(browser: Browser, vault: Path) -> None:
    place = vault / "Memory" / "fix" / "by-hand.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("# By hand\n\nabout locks\n")
    # A scan that takes long goes on beside the page, as it may where much else is at work.
    assert any("By hand" in browser.get("/search").text for _ in range(20))


def test_a_timeline_of_one_agent_offers_the_others_still(memory: Memory, browser: Browser) -> None:
    for agent in ("dev", "qa"):
        memory.acting_as("agent", agent).save(f"Rehearse it, {agent}.", title=f"By {agent}")
    seen = browser.get("/timeline", agent="qa")
    assert "By dev" not in seen.text
    assert "anydevqa" in seen.text


def test_the_timeline_tells_who_did_what_and_why_under_the_day(
    memory: Memory, browser: Browser, clock: FakeClock
) -> None:
    saved = memory.acting_as("operator").save("Rehearse it.", title="Rehearsal")
    clock.at += 86_400
    memory.acting_as("agent", "qa").forget(saved.id, "done every week now")
    for _ in range(3):
        memory.facts.add("Ilse Brandt", "Ilse works at Acme.", ref=str(_))
    text = browser.get("/timeline").text
    assert "You saved Rehearsal" in text
    assert "qa forgot Rehearsal because: done every week now" in text
    assert "An agent learned about Ilse Brandt" in text
    assert text.index("qa forgot") < text.index("You saved")
    days = [one for one in browser.get("/timeline").page.elements if one.tag == "h2"]
    assert len(days) == 2


def test_a_session_shows_what_it_got_and_an_entry_the_sessions_that_got_it(
    memory: Memory, browser: Browser
) -> None:
    id_ = save_some(memory)
    memory.sessions.begin("session-7")
    memory.recall("advisory lock nightly job", session="session-7")
    assert "session-7" in browser.get("/sessions").text
    assert "no request is noted" in browser.get("/sessions").text
    assert "Nightly lock" in browser.get("/session", name="session-7").text
    assert "session-7" in browser.get("/entry", id=id_).text
    assert browser.get("/session", name="nobody").status == 404


def test_an_entry_shows_the_prompts_that_got_it_where_they_are_noted(
    memory: Memory, browser: Browser
) -> None:
    id_ = save_some(memory)
    memory.recall("advisory lock nightly job", session="session-7")
    assert "whose text is not noted" in browser.get("/entry", id=id_).text
    note_recalled(memory.journal, "session-9", 7.0, [id_], asked="who locks the nightly job?")
    note_recalled(memory.journal, "session-9", 8.0, ["other"], asked="and who ships?")
    note_used(memory.journal, "session-9", 9.0, [id_])
    assert "who locks the nightly job? open · got 2 entries" in browser.get("/sessions").text
    assert "<h1>who locks the nightly job?" in browser.get("/session", name="session-9").html
    text = browser.get("/entry", id=id_).text
    assert text.count("who locks the nightly job?") == 1
    assert "and who ships?" not in text


def test_a_session_says_why_a_prompt_got_nothing(memory: Memory, browser: Browser) -> None:
    save_some(memory)
    memory.recall("zebras of the moon", session="session-8")
    journal = memory.journal
    rests: list[dict[str, object]] = [
        {"why": "weak", "left": 4, "relevance": 0.31},
        {"why": "budget", "left": 2},
        {"why": "limit"},
    ]
    for number, rest in enumerate(rests):
        note_recalled(journal, "session-8", float(number), [], asked="what?", rest=rest)
    text = browser.get("/session", name="session-8").text
    for told in (
        "nothing in memory matched",
        "4 entries came near, but not enough: relevance 0.31",
        "2 entries more did not fit the budget",
        "had reached its limit (session.limit)",
    ):
        assert told in text


def test_home_shows_hooks_against_their_budgets(memory: Memory) -> None:
    browser = Browser(memory, Around(paces=lambda: [Times("prompt", 12, 90, 420, 300, 5)]))
    text = browser.get("/").text
    assert "90, 420, 300 ms" in text
    assert "12 times, 5 by a server" in text


def test_jobs_tell_how_far_they_are(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first job of a round waits between two steps until the page has been seen."""
    reached, seen = Event(), Event()

    def run(names: object, *, due: object, stopped: object, tell: object) -> None:
        assert callable(stopped) and callable(tell)
        tell(JobRun("scan", "ok"))
        stopped()
        reached.set()
        seen.wait(60)

    work = ConsoleWork()
    monkeypatch.setattr(type(memory.jobs), "run", staticmethod(run))
    work.begin(memory, "")
    reached.wait(60)
    progress = work.look(memory)
    with pytest.raises(LockedError):
        work.begin(memory, "")
    seen.set()
    assert progress is not None
    assert progress.line.endswith("1 steps done")
    assert work.wait(60).lines == ("scan: ok",)
    assert work.look(memory) is None


def test_care_runs_a_job_and_lists_what_the_doctor_finds(memory: Memory) -> None:
    browser = Browser(
        memory, Around(check=lambda _: [StatusLine("vault", "it is there", "warning")])
    )
    form = browser.get("/care").form("/care")
    assert "map: ok" in browser.send("/care", form, job="map").text
    assert browser.send("/care", form, job="nonsense").status == 404
    assert "it is there" in browser.get("/care", check="1").text


def test_experience_lists_what_was_learned(memory: Memory, browser: Browser) -> None:
    memory.save("Never push on a Friday.", title="Friday", kind="anti-pattern", confidence=0.9)
    assert "Friday" in browser.get("/experience").text
    bad = memory.save("x", title="Bad Friday", kind="fix")
    memory.save("Deploy early.", title="Early", kind="pattern", derived_from=[bad.id])
    text = browser.get("/experience").text
    assert "from 1 entryBad Friday" in text
    assert "engrain skill lists drafts" in text
    memory.within("elsewhere").handoffs.create("qa", "Half of it.", agent="dev")
    assert "Half of it" in browser.get("/experience").text


def test_entries_that_contradict_each_other_are_listed_for_review(
    memory: Memory, browser: Browser
) -> None:
    id_ = save_some(memory)
    memory.link("release-day", id_, "contradicts")
    assert "1 pair of entries contradict each other" in browser.get("/").text
    assert "Nightly lock" in browser.get("/inbox", part="contradictions").text


def test_an_empty_inbox_says_that_nothing_waits(browser: Browser) -> None:
    assert "Nothing waits for you" in browser.get("/inbox").text


def test_an_entry_in_a_list_says_what_it_is_about_and_where_it_belongs(
    memory: Memory, browser: Browser
) -> None:
    save_some(memory)
    text = browser.get("/search").text
    assert f"Nightly lock {LOCK} fix" in text
    assert "#postgres" in text


def test_every_page_can_be_used_by_keyboard_and_screen_reader(
    memory: Memory, browser: Browser
) -> None:
    id_ = save_some(memory)
    for path in [path for method, path, _ in ROUTES if method == "GET"]:
        seen = browser.get(path, id=id_, name="x", q="lock", why="1")
        tags = [one.tag for one in seen.page.elements]
        assert tags.count("h1") == tags.count("main") == 1
        assert next(one for one in seen.page.elements if one.tag == "html").attributes["lang"]
        labels = seen.page.labelled
        for one in seen.page.elements:
            at = one.attributes
            if one.tag in ("input", "select", "textarea") and at.get("type") != "hidden":
                assert at.get("aria-label") or at.get("id") in labels or one.in_label, (path, at)
            if one.tag == "svg":
                assert at.get("aria-hidden") or at.get("aria-label")
            if one.tag == "th":
                assert at.get("scope")
