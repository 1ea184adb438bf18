"""`engrain export`: what one file and a site have, and what `import` reads of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import Inside, Shell

TEXT = 'Two "brokers", one queue.\n\n# Why\n\nSee [[Ports]] and [[Gone]].\u2028<script>x</script>'


def ask(shell: Shell, *argv: str) -> dict[str, Any]:
    """The data of a command's answer."""
    data: Any = shell.run(*argv, "--json").answer["data"]
    return dict(data)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Inside(tmp_path)
    made.run("init")
    made.run("save", "--kind", "decision", "--title", "Queue", "--tag", "infra", TEXT)
    made.run("save", "--kind", "fix", "--title", "Ports", "--project", "shop", "It is 5433.")
    made.run("save", "--kind", "fix", "--title", "Old", "--project", "other", "It was 5432.")
    return made


def test_lines_of_json_have_every_property_and_a_project_narrows_them(shell: Shell) -> None:
    done = ask(shell, "export", "--format", "jsonl", "m.jsonl", "--project", "shop")
    assert done["counts"] == {"decision": 1, "fix": 1}
    queue, ports = map(json.loads, (shell.here / "m.jsonl").read_text().strip("\n").split("\n"))
    assert (queue["title"], queue["text"], queue["tags"]) == ("Queue", TEXT, ["infra"])
    assert (ports["kind"], ports["project"], ports["archived"]) == ("fix", "shop", False)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_is_exported_comes_in_again(shell: Shell, tmp_path: Path, form: str) -> None:
    assert shell.run("export", "--format", form, f"m.{form}").code == 0
    other = Inside(tmp_path / "other")
    other.run("init")
    path = str(shell.here / f"m.{form}")
    assert ask(other, "import", form, path)["added"] == 3
    assert ask(other, "import", form, path)["unchanged"] == 3
    shown = ask(other, "show", "Queue")
    assert (shown["kind"], shown["tags"]) == ("decision", ["infra"])
    assert 'Two "brokers", one queue.' in shown["text"]


def test_a_table_has_a_row_for_each_entry(shell: Shell) -> None:
    shell.run("export", "--format", "csv", "m.csv")
    with (shell.here / "m.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["title"] for row in rows] == ["Queue", "Ports", "Old"]
    assert rows[0]["text"] == TEXT


def test_one_document_has_all_below_its_own_headings(shell: Shell) -> None:
    shell.run("export", "--format", "markdown", "m.md")
    lines = (shell.here / "m.md").read_text().split("\n")
    headings = [line for line in lines if line.startswith("#")]
    assert headings == [
        "# Memory",
        "## decision",
        "### Queue",
        "#### Why",
        "## fix",
        "### Ports",
        "### Old",
    ]


def test_a_site_links_its_pages_and_runs_nothing(shell: Shell) -> None:
    assert shell.run("export", "--format", "site", "site").code == 0
    site = shell.here / "site"
    index = (site / "index.html").read_text()
    pages = {path.name: path.read_text() for path in (site / "entry").iterdir()}
    assert all(f"entry/{name}" in index for name in pages) and len(pages) == 3
    (queue,) = (text for text in pages.values() if "<h1>Queue</h1>" in text)
    (ports,) = (name for name, text in pages.items() if "<h1>Ports</h1>" in text)
    assert f'href="../entry/{ports}"' in queue and 'href="../index.html"' in queue
    assert "<script" not in queue + index


def test_a_page_of_an_entry_whose_id_is_a_path_stays_in_the_site(shell: Shell) -> None:
    note = "---\nid: ../../../outside\nkind: fix\n---\n# Stray\n\nText.\n"
    (shell.vault / "Memory" / "fix" / "stray.md").write_text(note)
    assert shell.run("export", "--format", "site", "site").code == 0
    assert len(list((shell.here / "site" / "entry").iterdir())) == 4
    assert not list(shell.here.parent.glob("**/outside*"))


def test_a_file_that_exists_is_replaced_only_by_force(shell: Shell) -> None:
    (shell.here / "m.csv").write_text("mine")
    refused = shell.run("export", "--format", "csv", "m.csv")
    assert (refused.code, (shell.here / "m.csv").read_text()) == (4, "mine")
    assert shell.run("export", "--format", "csv", "m.csv", "--force").code == 0
    assert (shell.here / "m.csv").read_text().startswith("id,kind,title")
    assert [path.name for path in shell.here.iterdir()] == ["m.csv"]


def test_a_file_in_the_vault_is_refused(shell: Shell) -> None:
    refused = shell.run("export", "--format", "csv", str(shell.vault / "m.csv"))
    assert refused.code == 2 and "outside of the vault" in refused.err
