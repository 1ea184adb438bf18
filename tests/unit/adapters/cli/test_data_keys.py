"""The keys of `data` in the answers that programs read: they stay."""

from __future__ import annotations

import pytest

from unit.adapters.shell import CommandLine

OUTCOME = "hash id kind outcome path title"
FACT = (
    "content createdAt edge engrain entity entityType id source sourceRef status supersedes"
    " valid_from valid_to"
)
ENTITY = "active aliases disputed facts id maybe name path slug status type updated"
HANDOFF = "claimed_at claimed_by context from_agent hash id path project source timestamp to_agent"

KEYS = {
    "init": "backend config id vault",
    "setup codex --dry-run": "absent dry_run edits hosts learning notes vault",
    "save Words. --title Another": f"detected {OUTCOME}",
    "recall lighthouse": "degraded elsewhere embedder exhausted model nearest over_budget rejected"
    " relevance results tokens withheld",
    "show {id}": "attested contradicts created fields hash id kind last_recalled linked_from links"
    " origin path project recall_count replaced sessions_since_recall slug source status"
    " successors supersedes tags text tier title updated weight",
    "list": "elsewhere results total",
    "edit {id} --expect {hash} Other": OUTCOME,
    "evolve {id} Newer": f"{OUTCOME} other",
    "forget {id}": OUTCOME,
    "forget --kind memory --dry-run": "all total would_forget",
    "undo": "cascaded change derived entries erased id undone what",
    "status": "hooks hosts jobs learning pending recall server vault",
    "check": "accepted change counts findings fixed",
    "doctor": "findings resolution",
    "history": "changes",
    "history {id} --at 2100-01-01": "at id text",
    "fact add --entity Ada Tea.": "entity id maybe others outcome reason redacted",
    "fact list ada": f"{ENTITY} items summary",
    "fact show ada {fact}": FACT,
    "fact forget ada {fact}": FACT,
    "entity list": "entities total",
    "entity show ada": f"{ENTITY} items summary",
    "entity rename ada Countess": ENTITY,
    "entity alias ada Countess": ENTITY,
    "entity reindex": "written",
    "handoff create --to any --what Half --agent eng-001": OUTCOME,
    "handoff list": "elsewhere handoffs",
    "handoff show {handoff}": HANDOFF,
    "handoff claim {handoff} --agent qa-001": f"{HANDOFF} outcome",
    "import {folder}": "added attached changed deleted detected documents dry_run links"
    " links_ambiguous links_broken outcomes passed_over problems read redacted refused skipped"
    " statuses trust unchanged unread",
    "import transcripts {folder}": "dry_run lessons outcomes passed_over problems read refused"
    " taken_in transcripts trust without_tools",
    "export --format loki {folder}-loki": "counts files left_out path",
    "jobs list": "jobs",
    "jobs run decay": "dry_run jobs",
    "jobs status": "jobs",
    "jobs log": "runs",
    "config get vault": "vault",
    "config set project harbour": "config key value",
    "config path": "config",
}


@pytest.fixture
def words(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the command lines of `KEYS` name."""
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    folder = cli.folder / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nImported.\n")
    made = {
        "fact": ("fact", "add", "--entity", "Ada", "Ada likes rain."),
        "handoff": ("handoff", "create", "--to", "any", "--what", "Half", "--agent", "eng-001"),
    }
    ids = {}
    for name, argv in made.items():
        data = cli(*argv, "--json").answer["data"]
        ids[name] = str(data["id"])
    saved = cli.save("The lighthouse keeper counts the waves.", "--title", "Lighthouse")
    return {**ids, "id": saved["id"], "hash": saved["hash"], "folder": str(folder)}


@pytest.mark.parametrize("line", KEYS)
def test_an_answer_has_the_keys_that_programs_know(
    cli: CommandLine, words: dict[str, str], line: str
) -> None:
    answer = cli(*(word.format(**words) for word in line.split()), "--json").answer
    assert answer["command"] == line.split()[0]
    assert isinstance(answer["data"], dict), answer["error"]
    assert sorted(answer["data"]) == sorted(KEYS[line].split())
