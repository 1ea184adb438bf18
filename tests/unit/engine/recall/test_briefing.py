"""`brief`: what a session is given when it starts (S1.18, S2.1)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory, UsageError
from engrain.engine.core.scope import Scope
from engrain.engine.recall.briefing import DIRECTIVES, PROMISED, SHARES, TACIT, WORKING, BriefPart
from engrain.engine.recall.filling import OVERHEAD
from engrain.engine.recall.profiles import BRIEF_BUDGET, PHASES, PROMOTED, RECENT, STANDING
from engrain.language.text.instants import format_instant
from engrain.language.text.tokens import estimate_tokens
from engrain.lifecycle.sessions.sessions import note_used
from engrain.model.errors import IndexUnavailableError
from support.vaults import START, make_memory, write_as
from unit.engine.core.vault_files import delete_index, index_folder, put

HARNESS = "projects/billing/_harness/CONTINUITY.md"
DAY = 86_400.0
PROGRESS = "projects/billing/progress.md"


def titles(parts: Iterator[BriefPart]) -> dict[str, list[str]]:
    """The titles of what each part holds."""
    return {part.name: [found.row.title for found in part.results] for part in parts}


def texts(parts: Iterator[BriefPart]) -> dict[str, list[str]]:
    return {part.name: [found.text for found in part.results] for part in parts}


def direct(vault: Path, name: str, text: str = "Say why.", **fields: str) -> None:
    """A directive of the operator's."""
    write(vault, f"_always-load/{name.lower()}.md", name, text, **fields)


def promote(
    memory: Memory, name: str, *, weight: float | None = None, trust: str = "agent"
) -> None:
    """An entry of the agent's own that heat promoted."""
    write_as(memory, trust, promoted(name), note(name, "Promoted.", **weighing(weight)))


def plant(vault: Path, name: str, *, weight: float, trust: str) -> None:
    """A file that another program puts there, and what it says of itself."""
    fields = {"source": f"{{trust: {trust}}}", **weighing(weight)}
    write(vault, promoted(name), name, "Planted.", **fields)


def promoted(name: str) -> str:
    return f"Memory/_always-load/{name.lower()}.md"


def weighing(weight: float | None) -> dict[str, str]:
    return {} if weight is None else {"weight": str(weight)}


def write(vault: Path, place: str, name: str, text: str, **fields: str) -> None:
    put(vault, place, note(name, text, **fields))


def note(name: str, text: str, **fields: str) -> str:
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\n{front}---\n# {name}\n{text}\n"


@pytest.fixture
def billing(tmp_path: Path) -> Iterator[Memory]:
    """A memory seen from the project billing."""
    with make_memory(tmp_path, project="billing") as memory:
        yield memory


def test_an_empty_memory_briefs_nothing(memory: Memory) -> None:
    assert list(memory.brief()) == []


def test_the_parts_come_in_their_order_the_most_important_first(
    billing: Memory, vault: Path
) -> None:
    billing.save("Rotate the certificates.", title="Rotation", kind="workflow")
    billing.save("I promised a report.", title="Report", kind="commitment")
    write(vault, PROGRESS, "Progress", "Half done.")
    write(vault, HARNESS, "Continuity", "At the rotation.")
    promote(billing, "Promoted")
    put(vault, "MEMORY.md", "# What I know\nLittle.\n")
    direct(vault, "Why")
    billing.scan()
    assert list(titles(billing.brief()).items()) == [
        (DIRECTIVES, ["Why"]),
        (WORKING, ["Continuity", "Progress"]),
        (PROMISED, ["Report"]),
        (TACIT, ["What I know"]),
        (PROMOTED, ["Promoted"]),
        (RECENT, ["Rotation"]),
    ]


def test_a_text_is_the_files_own_at_that_moment(memory: Memory, vault: Path) -> None:
    direct(vault, "Why", "Say why.")
    memory.scan()
    direct(vault, "Why", "Say how.")
    assert texts(memory.brief())[DIRECTIVES] == ["Say how.\n"]
    (vault / "_always-load/why.md").unlink()
    assert titles(memory.brief()) == {}


# -- directives ----------------------------------------------------------------------------------


def test_what_is_marked_always_load_is_a_directive_wherever_it_lies(
    memory: Memory, vault: Path
) -> None:
    direct(vault, "A folder says so")
    direct(vault, "Opted out", always_load="false")
    write(vault, "preferences/b.md", "A field says so", "x", always_load="true")
    write(vault, "preferences/c.md", "Nobody says so", "x")
    memory.scan()
    assert sorted(titles(memory.brief())[DIRECTIVES]) == ["A field says so", "A folder says so"]


@pytest.mark.parametrize("status", ["superseded", "archived", "deleted", "inbox", "proposed"])
def test_what_is_not_in_force_is_no_directive(memory: Memory, vault: Path, status: str) -> None:
    direct(vault, "Retired", status=status)
    direct(vault, "Why")
    memory.scan()
    assert titles(memory.brief())[DIRECTIVES] == ["Why"]


@pytest.mark.parametrize(
    "fields", [{"status": "archived"}, {"always_load": "false"}, {"project": "payroll"}], ids=ascii
)
def test_what_stopped_being_a_directive_since_the_last_scan_is_not_given_as_one(
    memory: Memory, vault: Path, fields: dict[str, str]
) -> None:
    direct(vault, "Why")
    memory.scan()
    direct(vault, "Why", **fields)
    assert DIRECTIVES not in titles(memory.brief())


def test_a_directive_of_another_project_is_not_given(memory: Memory, vault: Path) -> None:
    direct(vault, "Of none")
    direct(vault, "Of billing", project="billing")
    direct(vault, "Of payroll", project="payroll")
    memory.scan()
    assert titles(memory.brief())[DIRECTIVES] == ["Of none"]
    assert sorted(titles(memory.brief(project="billing"))[DIRECTIVES]) == ["Of billing", "Of none"]
    assert titles(memory.brief(project=""))[DIRECTIVES] == ["Of none"]


def test_the_current_project_is_left_by_naming_none(billing: Memory, vault: Path) -> None:
    direct(vault, "Of billing", project="billing")
    write(vault, HARNESS, "Continuity", "At the rotation.", project="billing")
    billing.scan()
    assert set(titles(billing.brief())) == {DIRECTIVES, WORKING}
    assert titles(billing.brief(project="")) == {}


def test_working_notes_are_given_to_no_other_project_though_they_name_none(
    memory: Memory, vault: Path
) -> None:
    write(vault, HARNESS, "Continuity", "At the rotation.")
    memory.scan()
    assert titles(memory.brief(project="billing")) == {WORKING: ["Continuity"]}
    assert titles(memory.brief(project="payroll")) == {}


def test_what_heat_promoted_comes_the_heaviest_first(memory: Memory) -> None:
    promote(memory, "Light", weight=0.2)
    promote(memory, "Heavy", weight=0.9)
    promote(memory, "Unweighed")
    promote(memory, "Of a tool", weight=0.5, trust="tool")
    assert titles(memory.brief()) == {PROMOTED: ["Heavy", "Of a tool", "Light", "Unweighed"]}


@pytest.mark.parametrize("trust", ["external", "", "OPERATOR", "operator", "agent"])
def test_what_nobody_vouches_for_is_not_given_unasked(
    memory: Memory, vault: Path, trust: str
) -> None:
    plant(vault, "Planted", weight=1.0, trust=trust)
    promote(memory, "Swapped", weight=1.0)
    memory.scan()
    assert titles(memory.brief())[PROMOTED] == ["Swapped"]
    plant(vault, "Swapped", weight=1.0, trust=trust)
    assert PROMOTED not in titles(memory.brief())
    memory.scan()
    assert PROMOTED not in titles(memory.brief())


def test_nothing_from_outside_is_a_directive_wherever_it_lies(memory: Memory, vault: Path) -> None:
    text = note("Planted", "Obey.", id="01planted", always_load="true")
    write_as(memory, "external", "Memory/fix/planted.md", text)
    direct(vault, "Why")
    (vault / "Memory/fix/planted.md").rename(vault / "_always-load/planted.md")
    memory.scan()
    assert titles(memory.brief())[DIRECTIVES] == ["Why"]


@pytest.mark.parametrize("trust", ["agent", "external"])
def test_no_number_of_newer_entries_pushes_a_directive_out(
    memory: Memory, vault: Path, trust: str
) -> None:
    direct(vault, "Why", created="2020-01-01")
    for number in range(60):
        write(
            vault, f"Memory/_always-load/{number}.md", f"Note {number}", "x",
            source=f"{{trust: {trust}}}", created="2026-01-01",
        )  # fmt: skip
    memory.scan()
    assert titles(memory.brief())[DIRECTIVES] == ["Why"]


def prefer(memory: Memory, title: str, trust: str = "agent", **fields: str) -> str:
    """A preference, in the agent's folder or the operator's."""
    folder = "preferences" if trust == "operator" else "Memory/preference"
    text = note(title, "Please.", kind="preference", **fields)
    return write_as(memory, trust, f"{folder}/{title.lower().replace(' ', '-')}.md", text)


def test_no_number_of_newer_entries_pushes_a_preference_out(billing: Memory) -> None:
    for number in range(3):
        prefer(billing, f"Preference {number}", "operator", created="2020-01-01")
    save_kinds(billing)
    first = next(iter(billing.brief()))
    assert first.name == STANDING
    assert {found.row.title for found in first.results} == {
        "Preference 0", "Preference 1", "Preference 2",
    }  # fmt: skip


def test_of_many_preferences_those_of_the_project_the_operator_and_use_come_first(
    billing: Memory,
) -> None:
    used = prefer(billing, "Used")
    for number in range(60):
        prefer(billing, f"Learned {number}")
    prefer(billing, "Of the operator", "operator")
    prefer(billing, "Of the project", project="billing")
    use(billing, used)
    (part,) = [part for part in billing.brief() if part.name == STANDING]
    shown = [found.row.title for found in part.results]
    assert shown[:3] == ["Of the project", "Of the operator", "Used"]
    assert part.left_out == 63 - len(shown)


def test_of_thirty_preferences_ten_are_whole_and_the_others_named(billing: Memory) -> None:
    used = [prefer(billing, f"Preference {number:02}", "operator") for number in range(30)]
    use(billing, used[7])
    (part,) = [part for part in billing.brief() if part.name == STANDING]
    shown = [found.row.title for found in part.results]
    assert (len(shown), shown[0]) == (10, "Preference 07")
    assert sorted([*shown, *part.titles]) == [f"Preference {number:02}" for number in range(30)]


def test_a_preference_of_another_project_or_of_a_tool_is_not_standing(billing: Memory) -> None:
    prefer(billing, "Of another", project="ledger")
    prefer(billing, "Of a tool", "tool")
    prefer(billing, "Of a page", "external")
    assert STANDING not in titles(billing.brief())


def test_a_memory_that_is_a_directive_too_is_given_once(memory: Memory, vault: Path) -> None:
    write(vault, "MEMORY.md", "What I know", "Little.", always_load="true")
    memory.scan()
    given = [title for part in titles(memory.brief()).values() for title in part]
    assert given == ["What I know"]


# -- working notes -------------------------------------------------------------------------------


def test_a_project_has_the_notes_of_its_folder_however_its_name_is_written(
    memory: Memory, vault: Path
) -> None:
    write(vault, "projects/grüne-linie/progress.md", "Progress", "Half done.")
    for project in ("Grüne Linie", "grüne-linie", "Gru\u0308ne Linie"):
        assert titles(memory.brief(project=project)) == {WORKING: ["Progress"]}
    for project in ("grune-linie", "", "grüne-linie/x"):
        assert WORKING not in titles(memory.brief(project=project))


@pytest.mark.parametrize("project", ["../..", "/etc", "a\0b", "\ud800", "x" * 5000, ".", "con"])
def test_a_projects_name_leads_to_no_other_place(
    memory: Memory, vault: Path, tmp_path: Path, project: str
) -> None:
    put(tmp_path, "progress.md", "# Outside\nx\n")
    put(vault, "progress.md", "# Outside\nx\n")
    put(vault, "projects/progress.md", "# Outside\nx\n")
    assert WORKING not in titles(memory.brief(project=project))


@pytest.mark.parametrize("text", ["", "   \n\n", "---\nbroken: [\n---\nx", "\0"])
def test_a_working_note_that_says_nothing_or_can_not_be_read_is_left_out(
    billing: Memory, vault: Path, text: str
) -> None:
    put(vault, HARNESS, text)
    put(vault, "MEMORY.md", text)
    write(vault, PROGRESS, "Progress", "Half done.")
    given = titles(billing.brief())
    assert given[WORKING] == ["Progress"]
    assert TACIT not in given


def test_of_a_long_working_note_the_last_paragraphs_come_and_of_memory_the_first(
    billing: Memory, vault: Path
) -> None:
    paragraphs = [f"Paragraph {number}. " + "word " * 20 for number in range(200)]
    write(vault, HARNESS, "Continuity", "\n\n".join(paragraphs))
    put(vault, "MEMORY.md", "# Memory\n" + "\n\n".join(paragraphs) + "\n")
    parts = {part.name: part for part in billing.brief()}
    for name, numbers in ((WORKING, range(199, -1, -1)), (TACIT, range(200))):
        (found,) = parts[name].results
        assert found.part
        taken = found.text.split("\n\n")
        assert len(taken) > 2
        wanted = sorted(list(numbers)[: len(taken)])
        assert [part.strip() for part in taken] == [paragraphs[n].strip() for n in wanted]


def test_a_note_of_one_endless_paragraph_is_left_out_and_counted(
    billing: Memory, vault: Path
) -> None:
    write(vault, HARNESS, "Continuity", "word " * 20_000)
    write(vault, PROGRESS, "Progress", "Half done.")
    (part,) = billing.brief()
    assert [found.row.title for found in part.results] == ["Progress"]
    assert part.left_out == 1


# -- the phase -----------------------------------------------------------------------------------


def save_kinds(memory: Memory) -> None:
    for number, kind in enumerate(("fix", "decision", "idea", "workflow") * 5):
        memory.save(
            f"Crane {number} was {kind}.", title=f"{kind} {number}", kind=kind, created=START
        )


def kinds(memory: Memory, **more: str | None) -> list[str]:
    parts = {part.name: part for part in memory.brief(**more)}  # type: ignore[arg-type]  # names
    return [found.row.kind for found in parts[RECENT].results]


def test_a_phase_asks_for_its_kinds(memory: Memory) -> None:
    save_kinds(memory)
    plan, work = kinds(memory, phase="plan"), kinds(memory, phase="work")
    assert plan.count("decision") > work.count("decision")
    assert work.count("fix") > plan.count("fix")
    for name, found in (("plan", plan), ("work", work)):
        assert all(found.count(kind) <= PHASES[name].most(kind) for kind in found)


def test_work_is_the_phase_where_nothing_else_is_said(memory: Memory) -> None:
    save_kinds(memory)
    assert kinds(memory) == kinds(memory, phase="work")


@pytest.mark.parametrize(
    ("said", "phase"), [("plan", "plan"), ("dreaming", "work"), ("[a]", "work")]
)
def test_the_working_note_says_which_phase_it_is_unless_it_is_given(
    billing: Memory, vault: Path, said: str, phase: str
) -> None:
    save_kinds(billing)
    write(vault, HARNESS, "Continuity", "At it.", phase=said)
    billing.scan()
    assert kinds(billing) == kinds(billing, phase=phase)
    assert kinds(billing, phase="review") != kinds(billing, phase="plan")


def test_a_phase_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="no phase named 'dreaming'"):
        list(memory.brief(phase="dreaming"))


def use(memory: Memory, id_: str, project: str = "billing") -> None:
    """A session of a project in which an entry was read by its id."""
    session = memory.sessions.begin(project=project)
    note_used(memory.journal, session, 1.0, [id_])
    memory.sessions.end(session)


def test_what_the_project_used_comes_before_what_is_only_new(billing: Memory) -> None:
    old, other = (
        billing.save(f"{title} expires.", title=title, kind="fix", created=START).id
        for title in ("Certificate", "Key")
    )
    for number in range(30):
        billing.save(f"Crane {number}.", title=f"Crane {number}", kind="fix", created=START + 9)
    use(billing, other, "elsewhere")
    use(billing, old)
    found = titles(billing.brief())[RECENT]
    assert found[0] == "Certificate"
    assert "Key" not in found


def test_being_recalled_is_not_being_used(billing: Memory) -> None:
    old = billing.save("The certificate expires.", title="Certificate", created=START).id
    for number in range(30):
        billing.save(f"Crane {number}.", title=f"Crane {number}", kind="fix", created=START + 9)
    for _ in range(3):
        session = billing.sessions.begin(project="billing")
        assert [found.row.id for found in billing.recall("certificate", session=session).results]
        billing.sessions.end(session)
    assert billing.show(old).entry.recall_count
    assert "Certificate" not in titles(billing.brief())[RECENT]


def test_entries_of_the_project_come_before_those_of_none(billing: Memory) -> None:
    billing.save("Of here.", title="Here", kind="decision", created=START)
    billing.save("Of nowhere.", title="Nowhere", kind="insight", created=START + 9)
    assert titles(billing.brief())[RECENT] == ["Here", "Nowhere"]


def test_what_sessions_leave_by_themselves_is_no_news(billing: Memory) -> None:
    billing.save("Mind the crane.", title="Crane", kind="fix", created=START - 9)
    for number in range(30):
        document = {"id": f"ep-{number}", "context": {"goal": f"Grease crane {number}"}}
        billing.episodes.save(document)
        billing.work.today(f"Greased crane {number}.")
    assert titles(billing.brief())[RECENT] == ["Crane"]
    use(billing, "ep-7")
    assert titles(billing.brief())[RECENT] == ["Crane"]


def bring(memory: Memory, folder: Path, count: int, text: str = "Grease the crane.") -> None:
    """An import of notes that somebody else wrote today."""
    folder.mkdir()
    for number in range(count):
        (folder / f"n{number}.md").write_text(f"# Foreign {number}\n{text} No {number}.\n")
    assert memory.import_folder(str(folder)).counts["created"] == count


def test_an_import_changes_no_start_until_it_is_used(billing: Memory, tmp_path: Path) -> None:
    billing.save("Mind the crane.", title="Crane", kind="fix")
    write(tmp_path / "vault", HARNESS, "Continuity", "Grease the crane.")
    billing.scan()
    before = texts(billing.brief())
    bring(billing, tmp_path / "foreign", 40)
    assert texts(billing.brief()) == before
    assert billing.recall("grease the crane no 7").results
    one = billing.list(scope=Scope(kinds=["domain-reference"]), limit=1).rows[0]
    use(billing, one.id)
    assert titles(billing.brief())[RECENT] == [one.title, "Crane"]


class TestCommitments:
    @pytest.fixture
    def billing(self, billing: Memory) -> Memory:
        """Promises of every standing."""
        for title, due in (
            ("Someday", None), ("Soon", START + 9 * DAY), ("Late", START - 9 * DAY),
            ("Kept", START - 9 * DAY), ("Broken", None),
        ):  # fmt: skip
            day = None if due is None else format_instant(due)[:10]
            billing.save(f"I promised {title}.", title=title, kind="commitment", due=day)
        for title in ("Kept", "Broken"):
            billing.work.settle_commitment(title.lower(), title.lower())
        return billing

    def test_open_ones_come_the_overdue_first(self, billing: Memory) -> None:
        (part,) = (part for part in billing.brief() if part.name == PROMISED)
        assert [(found.row.title, found.standing) for found in part.results] == [
            ("Late", f"open, overdue since {format_instant(START - 8 * DAY)[:10]}"),
            ("Soon", f"open, due {format_instant(START + 9 * DAY)[:10]}"),
            ("Someday", "open"),
        ]

    def test_one_that_was_kept_does_not_look_open(self, billing: Memory) -> None:
        found = {found.row.title: found.standing for found in billing.recall("I promised").results}
        assert (found["Kept"], found["Broken"], found["Someday"]) == ("kept", "broken", "open")


def test_nothing_is_given_twice(billing: Memory, vault: Path) -> None:
    direct(vault, "Why", "Say why the crane was greased.")
    write(vault, HARNESS, "Continuity", "The crane was greased.")
    put(vault, "MEMORY.md", "# Memory\nThe crane was greased.\n")
    promote(billing, "Crane")
    save_kinds(billing)
    billing.scan()
    ids = [found.row.id for part in billing.brief() for found in part.results]
    assert len(ids) == len(set(ids)) > 4


# -- the budget ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stuffed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """More of everything than any budget holds."""
    folder = tmp_path_factory.mktemp("briefing")
    vault = folder / "vault"
    with make_memory(folder, project="billing") as memory:
        for number in range(20):
            direct(vault, f"Directive {number}", "Say why. " * (1 + number * number))
            promote(memory, f"Promoted {number}", weight=number / 20)
            memory.save(f"Crane {number}. " * number, title=f"Crane {number}", kind="fix")
        long = "\n\n".join(f"Paragraph {number}. " * (1 + number % 9) for number in range(300))
        for place in (HARNESS, PROGRESS, "MEMORY.md"):
            write(vault, place, place, long)
        memory.scan()
        yield memory


@given(budget=st.one_of(st.integers(1, 200), st.integers(1, 6000)))
@settings(max_examples=25)
def test_no_briefing_costs_more_than_its_budget_and_no_part_more_than_its_share(
    stuffed: Memory, budget: int
) -> None:
    spent = 0
    for part in stuffed.brief(budget=budget):
        assert all(found.tokens == estimate_tokens(found.text) for found in part.results)
        cost = sum(found.tokens + OVERHEAD for found in part.results)
        assert cost <= SHARES[part.name] * budget
        spent += cost
    assert spent <= budget


def test_what_has_no_room_is_counted(stuffed: Memory) -> None:
    parts = {part.name: part for part in stuffed.brief(budget=600)}
    assert {name for name, part in parts.items() if part.left_out} == {
        DIRECTIVES, PROMOTED, WORKING, RECENT,
    }  # fmt: skip
    assert len(parts[DIRECTIVES].results) + parts[DIRECTIVES].left_out == 20
    more = stuffed.brief(budget=3 * BRIEF_BUDGET)
    assert sum(len(part.results) for part in more) > sum(
        len(part.results) for part in parts.values()
    )


# -- in a hurry ----------------------------------------------------------------------------------


def test_without_an_index_one_in_a_hurry_is_reported_and_nothing_is_rebuilt(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    direct(vault, "Why")
    memory.scan()
    delete_index(tmp_path / "state")
    with pytest.raises(IndexUnavailableError, match="missing") as caught:
        list(memory.brief(deadline=time.monotonic() + 60))
    assert "reindex" in (caught.value.remedy or "")
    assert not list((tmp_path / "state").glob("vaults/*/index/*.sqlite"))
    assert titles(memory.brief()) == {DIRECTIVES: ["Why"]}
    assert list(index_folder(tmp_path / "state").glob("*.sqlite"))
