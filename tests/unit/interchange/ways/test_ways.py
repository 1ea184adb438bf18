"""Each way in reads what its tool writes, once, and names what it passes over."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.outcomes import Imported
from engrain.engine.core.scope import Scope
from engrain.interchange.ways.table import WAYS, recognise
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.note.entry import Entry
from engrain.resolution.source_tree import open_tree

EVERYWHERE = Scope(all_projects=True)
NOTION_IDS = ("0123456789abcdef" * 2, "fedcba9876543210" * 2)
BLOCK = "0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f"
GRAPH = (
    {"type": "entity", "name": "Ben", "entityType": "person", "observations": ["Lives in Oslo"]},
    {"type": "entity", "name": "Kestrel", "entityType": "project", "observations": ["In Rust"]},
    {"type": "relation", "from": "Ben", "to": "Kestrel", "relationType": "works on"},
    {"type": "relation", "from": "Nobody", "to": "Ben", "relationType": "knows"},
)
BIO = {"id": "m1", "recipient": "bio", "create_time": 1770000001,
       "content": {"content_type": "text", "parts": ["User has a dog named Rex."]}}  # fmt: skip
TOLD = {"id": "m2", "recipient": "all",
        "content": {"content_type": "user_editable_context", "user_profile": "",
                    "user_instructions": "The user said:\n```Be brief.```"}}  # fmt: skip
FILES: Mapping[str, Mapping[str, str]] = {
    "rules": {
        "CLAUDE.md": "Use uv, not pip.\n\n## Tests\n- Never mock the database.\n",
        ".cursor/rules/api.mdc": "---\ndescription: API handlers\nglobs: src/api/**\n---\nZod.\n",
        "apps/web/AGENTS.md": "# Package manager\nUse pnpm here.\n",
        "README.md": "# Shop\n",
    },
    "server-memory": {"memory.jsonl": "\n".join(map(json.dumps, GRAPH))},
    "basic-memory": {
        "coffee.md": "---\ntitle: Coffee\npermalink: coffee/brew\ntags: [drinks]\n---\n# Coffee\n\n"
        "## Observations\n- [method] Pour over is best\n\n## Relations\n- pairs_with [[Tea]]\n",
        "tea.md": "---\ntitle: Tea\npermalink: tea\n---\nGreen.\n",
        "loose.md": "No permalink.\n",
    },
    "mem0": {
        "export.json": json.dumps({"results": [
            {"id": "a1", "memory": "Prefers dark mode", "created_at": "2026-01-02T03:04:05-08:00"},
            {"id": "a2", "memory": "Gone", "state": "archived"},
        ]}),
    },
    "memsearch": {
        ".memsearch/memory/2026-03-02.md": "## Session 10:00\n- Cache\n\n## Session 11:00\n- x\n",
    },
    "chatgpt": {
        "conversations.json": json.dumps([{"title": "t", "create_time": 1, "mapping": {
            "a": {"message": BIO}, "b": {"message": TOLD}, "c": {"message": None}}}]),
    },
    "claude": {
        "projects.json": json.dumps([{"uuid": "p1", "name": "Shop App", "description": "",
            "prompt_template": "Answer in TypeScript.", "created_at": "2026-02-01T00:00:00Z",
            "docs": [{"uuid": "d1", "filename": "api.md", "content": "GET /x"}]}]),
        "memories.json": json.dumps([{"conversations_memory": "**Work**\n\nAda writes code.",
            "project_memories": {"p1": "Sells lists."}}]),
        "conversations.json": json.dumps([{"uuid": "c1", "chat_messages": []}]),
    },
    "notion": {
        f"Deploys {NOTION_IDS[0]}.md": "# Deploys\n\nCreated: March 2, 2026 9:00 AM\n\n"
        f"See [Roll back](Rollback%20{NOTION_IDS[1]}.md).\n",
        f"Rollback {NOTION_IDS[1]}.md": "# Rollback\n\n`make rollback`\n",
        f"Table {NOTION_IDS[1]}.csv": "Name\nRollback\n",
    },
    "logseq": {
        "logseq/config.edn": "{}",
        "pages/Post___gres.md": f"tags:: db, [[ops]]\nalias:: pg\n\n- Port 5433\n  id:: {BLOCK}\n",
        "journals/2026_03_02.md": f"- met [[Post/gres]]: (({BLOCK}))\n",
        "pages/empty.md": "-\n",
    },
    "org": {
        "20260131093000-pool.org": ':PROPERTIES:\n:ID: p1\n:ROAM_ALIASES: "conn pool" cp\n:END:\n'
        "#+title: Pool\n#+filetags: :db:\n* Size\nSee [[id:s1][swap]], =max=20=.\n"
        "#+begin_src sql\nshow pool;\n#+end_src\n",
        "swap.org": ":PROPERTIES:\n:ID: s1\n:END:\n#+title: Swapping\nAt 40 connections.\n",
    },
    "csv": {"x.csv": 'id,title,text,tags,created\n7,Port,"8080, not 80",a;b,2026-01-01\n8,,,,\n'},
    "jsonl": {"x.jsonl": '{"content": "We ship on Mondays.", "tags": ["ship"]}\n{"content": 1}\n'},
}  # fmt: skip


def put(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def take(memory: Memory, way: str, path: Path, project: str | None = None) -> Imported:
    return memory.exchange.import_items(way, open_tree(str(path)), project=project)


def entries(memory: Memory) -> dict[str, Entry]:
    return {row.title: memory.show(row.id).entry for row in memory.list(scope=EVERYWHERE).rows}


@pytest.mark.parametrize("way", FILES)
def test_a_tree_is_recognised_and_comes_in_once(memory: Memory, tmp_path: Path, way: str) -> None:
    folder = put(tmp_path / "source", FILES[way])
    assert way in recognise(open_tree(str(folder)))
    first = take(memory, way, folder)
    assert first.sums["added"] == first.documents > 0
    assert first.problems == []
    for path in folder.rglob("*"):
        path.touch()
    again = take(memory, way, folder)
    assert again.counts == {"unchanged": first.documents}
    memory.undo()
    assert memory.list(scope=EVERYWHERE).total == 0
    assert WAYS[way].title


def test_rules_are_directives_with_their_scope(memory: Memory, tmp_path: Path) -> None:
    take(memory, "rules", put(tmp_path / "shop", FILES["rules"]), project="shop")
    found = entries(memory)
    assert "Applies to `src/api/**`." in found["API handlers"].text
    assert "Applies to `apps/web/`." in found["Package manager"].text
    assert found["Tests (CLAUDE of shop)"].text.strip() == "- Never mock the database."
    assert {(one.kind, one.project) for one in found.values()} == {("workflow", "shop")}


def test_rules_in_the_folder_of_a_host_hold_everywhere(memory: Memory, tmp_path: Path) -> None:
    folder = put(tmp_path / ".claude", {"CLAUDE.md": "# How I like it\nShort answers."})
    take(memory, "rules", folder, project="shop")
    (found,) = entries(memory).values()
    assert (found.kind, found.project) == ("preference", None)


def test_a_graph_keeps_its_relations(memory: Memory, tmp_path: Path) -> None:
    done = take(memory, "server-memory", put(tmp_path / "g", FILES["server-memory"]))
    found = entries(memory)
    assert found["Ben"].links == ((found["Kestrel"].id, "works_on"),)
    assert "person" in found["Ben"].tags
    assert [why for _, why, _ in done.passed_over] == ["a relation of an entity that is not there"]


def test_notes_of_basic_memory_keep_relations_tags_and_permalinks(
    memory: Memory, tmp_path: Path
) -> None:
    done = take(memory, "basic-memory", put(tmp_path / "b", FILES["basic-memory"]))
    found = entries(memory)
    assert (found["Tea"].id, "pairs_with") in found["Coffee"].links
    assert "Pour over is best" in found["Coffee"].text
    assert [path for path, _, _ in done.passed_over] == ["loose.md"]


def test_an_export_of_mem0_leaves_out_what_is_not_active(memory: Memory, tmp_path: Path) -> None:
    done = take(memory, "mem0", put(tmp_path / "m", FILES["mem0"]))
    assert list(entries(memory)) == ["Prefers dark mode"]
    assert done.passed_over == [("export.json", "a memory that is archived", 1)]


def test_the_history_of_mem0_gives_the_last_state_of_each_memory(
    memory: Memory, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "history.db")) as made:
        made.execute(
            "CREATE TABLE history (id, memory_id, old_memory, new_memory, event, created_at,"
            " is_deleted)"
        )
        rows = [
            ("1", "m", None, "Tabs", "ADD", "2026-03-01T00:00:00+00:00", 0),
            ("2", "m", "Tabs", "Spaces", "UPDATE", "2026-03-01T00:00:00+00:00", 0),
            ("3", "n", None, "Old", "ADD", "2026-03-01T00:00:00+00:00", 0),
            ("4", "n", "Old", None, "DELETE", "2026-03-02T00:00:00+00:00", 1),
        ]
        made.executemany("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        made.commit()
    take(memory, "mem0", tmp_path)
    assert list(entries(memory)) == ["Spaces"]


def test_observations_of_claude_mem_come_with_their_facts_and_files(
    memory: Memory, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "claude-mem.db")) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute(
            "CREATE TABLE observations (id INTEGER, project, type, title, subtitle, narrative,"
            " facts, concepts, files_read, files_modified, created_at_epoch)"
        )
        made.execute(
            "INSERT INTO observations VALUES (4, 'shop', 'bugfix', 'Pool ran dry', '',"
            " 'The pool was too small.', '[\"max was 5\"]', '[\"db\"]', '[]', '[\"db.py\"]',"
            " 1770000000000)"
        )
        made.execute("CREATE TABLE session_summaries (id INTEGER)")
        made.execute("INSERT INTO session_summaries VALUES (1)")
        made.commit()
        done = take(memory, "claude-mem", tmp_path)  # while the tool has it open
    found = entries(memory)["Pool ran dry"]
    assert (found.kind, found.project) == ("fix", "shop")
    assert found.created == 1770000000
    assert "- max was 5" in found.text
    assert "`db.py`" in found.text
    assert [why for _, why, _ in done.passed_over] == ["summaries of sessions are no memories"]


def test_chatgpt_gives_what_it_noted_and_was_reported(memory: Memory, tmp_path: Path) -> None:
    take(memory, "chatgpt", put(tmp_path / "c", FILES["chatgpt"]))
    found = entries(memory)
    assert found["How ChatGPT was told to answer"].text.strip() == "Be brief."
    assert found["User has a dog named Rex."].created == 1770000001


def test_a_later_export_of_the_same_account_adds_only_what_is_new(
    memory: Memory, tmp_path: Path
) -> None:
    take(memory, "chatgpt", put(tmp_path / "january", FILES["chatgpt"]))
    more = dict(BIO, id="m9", content={"content_type": "text", "parts": ["Rex is a terrier."]})
    later = [{"mapping": {"a": {"message": BIO}, "z": {"message": more}}}]
    folder = put(tmp_path / "march", {"conversations.json": json.dumps(later)})
    assert take(memory, "chatgpt", folder).counts == {"unchanged": 1, "created": 1}


def test_claude_gives_memory_by_section_and_projects_with_their_documents(
    memory: Memory, tmp_path: Path
) -> None:
    done = take(memory, "claude", put(tmp_path / "c", FILES["claude"]))
    found = entries(memory)
    assert found["Work"].project is None
    assert found["What Claude remembers"].project == "shop-app"
    assert found["Instructions of Shop App"].text.strip() == "Answer in TypeScript."
    assert found["api.md"].project == "shop-app"
    assert [count for _, _, count in done.passed_over] == [1]


def test_messages_of_a_conversation_form_a_thread_in_the_order_of_its_last_branch(
    memory: Memory, tmp_path: Path
) -> None:
    def node(id_: str, parent: str, role: str, text: str) -> dict[str, object]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id_, "author": {"role": role}, "content": content}
        return {"id": id_, "parent": parent, "message": message}

    nodes = [
        node("a", "", "user", "My canoe is called Petrichor."),
        node("b", "a", "assistant", "A discarded answer."),
        node("c", "a", "assistant", "A good name."),
    ]
    chat = {
        "title": "Canoe", "id": "k", "create_time": 1, "current_node": "c",
        "mapping": {str(one["id"]): one for one in nodes},
    }  # fmt: skip
    put(tmp_path, {"conversations-000.json": json.dumps([chat])})
    assert take(memory, "chats", tmp_path).counts == {"created": 2}
    found = entries(memory)
    assert list(found) == ["Canoe: assistant", "Canoe: user"]
    assert {one.source["ref"] for one in found.values()} == {"k"}


def test_pages_of_notion_in_a_zip_of_zips_link_to_each_other(
    memory: Memory, tmp_path: Path
) -> None:
    inner, outer = tmp_path / "part.zip", tmp_path / "export.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        for name, text in FILES["notion"].items():
            archive.writestr(name, text)
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(inner, "Part-1.zip")
    take(memory, "notion", outer)
    found = entries(memory)
    assert "[[Rollback|Roll back]]" in found["Deploys"].text
    assert found["Deploys"].created == 1772442000


def test_a_graph_of_logseq_keeps_properties_and_block_references(
    memory: Memory, tmp_path: Path
) -> None:
    take(memory, "logseq", put(tmp_path / "l", FILES["logseq"]))
    found = entries(memory)
    assert "met [[Post/gres]]: Port 5433" in found["2026-03-02"].text
    assert found["2026-03-02"].kind == "domain-reference"
    assert {"db", "ops"} <= set(found["Post/gres"].tags)
    assert BLOCK not in found["Post/gres"].text


def test_notes_of_org_become_markdown(memory: Memory, tmp_path: Path) -> None:
    take(memory, "org", put(tmp_path / "o", FILES["org"]))
    found = entries(memory)["Pool"]
    assert "## Size\nSee [[Swapping|swap]], `max=20`.\n```sql\nshow pool;\n```" in found.text
    assert found.fields["aliases"] == ["conn pool", "cp"]


def test_what_was_edited_here_stays_and_what_was_not_is_renewed(
    memory: Memory, tmp_path: Path
) -> None:
    folder = put(tmp_path / "t", {"x.csv": "id,title,text\n1,One,first\n2,Two,second\n"})
    take(memory, "csv", folder)
    one = entries(memory)["One"]
    memory.edit(one.id, expect=one.hash, text="# One\nmine\n")
    put(folder, {"x.csv": "id,title,text\n1,One,changed\n2,Two,changed\n"})
    done = take(memory, "csv", folder)
    found = entries(memory)
    assert (found["One"].text.strip(), found["Two"].text.strip()) == ("mine", "changed")
    assert len(done.problems) == 1


def test_a_secret_does_not_come_in(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    folder = put(tmp_path / "t", {"x.csv": f"text\nThe token is {token}\n"})
    assert take(memory, "csv", folder).redacted == 1
    assert token not in next(iter(entries(memory).values())).text


def test_a_broken_file_is_named_and_what_came_before_it_stays(
    memory: Memory, tmp_path: Path
) -> None:
    files = {"projects.json": '[{"uuid": "p", "prompt_template": "x", "name": "P"}]'}
    folder = put(tmp_path / "c", {**files, "memories.json": '[{"conversations_memory": '})
    done = take(memory, "claude", folder)
    assert len(done.problems) == 1
    assert "not JSON" in done.problems[0][1]


def test_the_wrong_way_and_a_path_that_is_not_there_are_refused(
    memory: Memory, tmp_path: Path
) -> None:
    put(tmp_path, {"a.txt": "x"})
    with pytest.raises(UsageError, match="nothing of a graph of Logseq"):
        take(memory, "logseq", tmp_path)
    with pytest.raises(UsageError, match="no way in"):
        memory.exchange.import_items("dropbox", open_tree(str(tmp_path)))
    with pytest.raises(NotFoundError):
        open_tree(str(tmp_path / "gone"))


def test_a_message_of_claude_may_have_its_text_in_parts_alone(
    memory: Memory, tmp_path: Path
) -> None:
    parts = [
        {"type": "tool_use", "name": "web_search", "input": {}},
        {"type": "text", "text": "Petrichor is a good name for a canoe."},
    ]
    turns = [
        {"uuid": "m1", "sender": "human", "text": "My canoe is called Petrichor.", "content": []},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": parts},
    ]
    chat = {"uuid": "c1", "name": "Canoe", "chat_messages": turns}
    put(tmp_path, {"conversations.json": json.dumps([chat])})
    done = take(memory, "chats", tmp_path)
    assert done.counts == {"created": 2} and not done.passed_over
    assert "Petrichor is a good name" in entries(memory)["Canoe: assistant"].text
