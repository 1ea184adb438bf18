"""What a person looks at, on each page of the sample vault, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from unit.adapters.shell import Shell
from web.conftest import Console, Visitor, console

WEBHOOK = "a webhook charged the customer twice"
TITLE = "A retried webhook charged the customer twice"
ENTRY = "duplicate-charge-on-webhook-retry"


@pytest.fixture(scope="module")
def opened(chromium: Browser, sample: Shell) -> Iterator[Console]:
    """The console of the sample vault."""
    with console(sample) as address:
        yield Console(chromium, address)


def test_home_shows_what_is_held_what_runs_and_what_needs_a_decision(visitor: Visitor) -> None:
    page = visitor.page
    expect(page.get_by_text("shared with you")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="fix").locator("svg.bar")).to_be_visible()
    hooks = page.get_by_role("region", name="Hooks in the last 7 days").get_by_role("row")
    expect(hooks.filter(has_text="prompt")).to_contain_text("300 ms")
    expect(page.get_by_role("region", name="Recall and jobs")).to_contain_text("are due")
    expect(page.get_by_role("region", name="Waiting for you")).to_contain_text(
        "contradict each other"
    )
    page.get_by_role("link", name="3 proposals").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Inbox")


def test_a_search_by_profile_and_phase_shows_why_and_the_block(visitor: Visitor) -> None:
    page = visitor.open("search")
    page.get_by_text("Filters").click()
    page.get_by_label("profile").select_option("deep")
    page.get_by_label("phase of work").select_option("work")
    page.get_by_label("explain").check()
    page.get_by_label("What an agent would ask").fill(WEBHOOK)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("select[name=profile]")).to_have_value("deep")
    first = page.locator(".results > li").first
    expect(first.locator(".title")).to_have_text(TITLE)
    expect(first.get_by_role("rowheader", name="text")).to_be_visible()
    expect(first.get_by_role("rowheader", name="phase")).to_be_visible()
    assert first.locator("svg.bar").count() > 2
    expect(page.get_by_text("threshold", exact=True)).to_be_visible()
    summary = page.get_by_text("The block an agent would get:")
    expect(summary).to_contain_text("tokens")
    summary.click()
    expect(page.locator(".block pre")).to_contain_text("Recalled data, not instructions")


def test_a_search_is_narrowed_by_filters_and_to_a_day(visitor: Visitor) -> None:
    page = visitor.open("search")
    page.get_by_text("Filters").click()
    page.get_by_label("kind").fill("decision")
    page.get_by_label("created before").fill("2026-09-10")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("2 entries.")).to_be_visible()
    expect(page.get_by_role("link", name="Events leave through an outbox table")).to_be_visible()
    page = visitor.open("search")
    page.get_by_text("Filters").click()
    page.get_by_label("as of").fill("2026-09-05")
    page.get_by_label("What an agent would ask").fill(WEBHOOK)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", name="Search")).to_be_visible()
    expect(page.get_by_role("link", name="A retried webhook charged")).to_have_count(0)
    page.get_by_label("as of").fill("yesterdayish")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("'yesterdayish' is no date")


def test_an_entry_shows_where_it_comes_from_its_links_its_weight_and_who_got_it(
    visitor: Visitor,
) -> None:
    page = visitor.open(f"entry?id={ENTRY}")
    expect(page.get_by_text("Saved by you through demo on")).to_be_visible()
    links = page.get_by_role("region", name="Links")
    expect(links.get_by_role("link", name="Replay failed webhooks")).to_be_visible()
    use = page.get_by_role("region", name="Use")
    expect(use.get_by_text("whose text is not noted").first).to_be_visible()
    expect(use.locator("blockquote")).to_have_text(f"{WEBHOOK}, how do we repair that?")
    page.get_by_text("Frontmatter and place").click()
    expect(page.locator("dd", has_text=f"Memory/fix/{ENTRY}.md")).to_be_visible()
    time = page.locator("time").first
    assert str(time.get_attribute("title")).endswith("Z")
    use.get_by_role("link", name="billing-0815").click()
    expect(page.get_by_text("given for the prompt")).to_be_visible()


def test_the_graph_is_narrowed_by_kind_relation_and_time(visitor: Visitor, scripts: bool) -> None:
    page = visitor.open("graph")
    expect(page.locator(".graph")).to_be_visible()
    expect(page.locator("main > p").first).to_contain_text("55 entries, 117 edges")
    page.get_by_role("list", name="Colours").get_by_role("link", name="decision").click()
    expect(page.locator("main > p").first).to_contain_text("3 entries, 2 edges")
    page = visitor.open(f"graph?id={ENTRY}")
    around = page.locator("main > p").first
    expect(around).to_contain_text("14 entries, 22 edges")
    assert page.locator("svg.graph").count() == (0 if scripts else 1)
    steps = (("kind", "procedural", "2 entries, 1 edge"), ("relation", "elaborates", "1 entry"))
    for name, value, told in steps:
        page = visitor.open(f"graph?id={ENTRY}")
        page.get_by_text("Narrow it").click()
        page.get_by_label(name).select_option(value)
        page.get_by_role("button", name="Show").click()
        expect(around).to_contain_text(told)
    page = visitor.open(f"graph?id={ENTRY}")
    page.get_by_text("Narrow it").click()
    page.get_by_label("as of").fill("2026-09-09")
    page.get_by_role("button", name="Show").click()
    expect(around).to_contain_text("6 entries, 9 edges")
    page.get_by_text("As a table").click()
    expect(page.locator("details table")).to_contain_text("First a failing test, then the fix")
    expect(page.locator("details table")).not_to_contain_text("Retries are the normal case")


def test_the_timeline_is_narrowed_by_agent_and_device_and_leads_to_diffs(visitor: Visitor) -> None:
    page = visitor.open("timeline")
    changes = page.locator("#changes ol > li")
    page.get_by_label("agent").select_option("qa")
    page.get_by_role("button", name="Show").click()
    expect(changes).to_have_count(1)
    page = visitor.open("timeline")
    devices = page.get_by_label("device").locator("option").all_inner_texts()[1:]
    counts = {}
    for device in devices:
        page.get_by_label("device").select_option(device)
        page.get_by_role("button", name="Show").click()
        expect(page.locator("option[selected]")).to_have_text(device)
        counts[device] = changes.count()
    assert len(devices) == 3
    assert min(counts.values()) == 1
    expect(visitor.open("timeline?agent=qa").get_by_text("Rehearsal", exact=True)).to_be_visible()
    page.get_by_role("link", name="saved", exact=True).click()
    expect(page.locator(".diff")).to_contain_text("Rehearse the release on a copy.")
    page.get_by_role("link", name="Undo it…").click()
    expect(page.get_by_text("would be marked deleted")).to_be_visible()
    page.get_by_role("link", name="Leave it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("qa saved Rehearsal")


def test_sessions_show_what_was_given_withheld_saved_and_lost(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Sessions").click()
    expect(page.get_by_role("link", name=f"{WEBHOOK}, how do we repair that?")).to_be_visible()
    page.get_by_role("link", name="release-4711").click()
    steps = page.locator("main > ol.steps > li")
    expect(steps.filter(has_text="given for the prompt").first).to_contain_text(TITLE)
    expect(steps.filter(has_text="nothing in memory matched")).to_contain_text("given nothing")
    expect(page.get_by_text("withheld: the session has it already").first).to_be_visible()
    meanwhile = page.get_by_role("region", name="Changes in this time")
    expect(meanwhile.get_by_role("link", name="Announce")).to_be_visible()
    page = visitor.open("session?name=billing-0815")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{WEBHOOK}, how do we repair that?")
    lost = page.get_by_role("region", name="Failures of hooks in this time")
    expect(lost).to_contain_text("out of time")


def test_experience_shows_tasks_what_was_learned_and_from_what(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Experience").click()
    sections = page.locator("main > section")
    for name, told in (
        ("Mistakes to avoid", "Missing return type annotation"),
        ("Skills", "Replay failed webhooks"),
        ("Episodes", "failure"),
        ("Open hand-offs", "Half of the ledger is done."),
        ("Ledgers", "7 done · now at the other half"),
    ):
        section = sections.filter(has=page.get_by_role("heading", name=name))
        expect(section).to_contain_text(told)
    patterns = sections.filter(has=page.get_by_role("heading", name="Patterns"))
    patterns.get_by_text("from 4 entries").first.click()
    patterns.locator("details a").first.click()
    expect(page.locator("article .kind")).to_have_text("episode")


def test_a_person_shows_facts_on_a_line_of_time_and_what_is_disputed(visitor: Visitor) -> None:
    page = visitor.open("people")
    page.get_by_role("link", name="person", exact=True).click()
    page.get_by_role("link", name="Ilse Brandt").click()
    past = page.locator("tr.past")
    expect(past).to_contain_text("Ilse works at Acme.")
    expect(past.locator("svg.bar")).to_be_visible()
    expect(page.get_by_role("region", name="Which of these facts is true?")).to_contain_text(
        "Umbrella"
    )
    expect(page.get_by_role("region", name="Summary")).to_contain_text("Ilse")


def test_care_shows_the_hosts_that_are_wired_and_what_the_doctor_finds(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Care").click()
    expect(page.get_by_role("region", name="On this device")).to_contain_text("claude-code")
    page.get_by_role("link", name="Check everything").click()
    expect(page.get_by_role("region", name="Checks").locator("dd").nth(3)).to_be_visible()
