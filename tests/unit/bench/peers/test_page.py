"""The page of the comparison, written from made-up runs."""

from __future__ import annotations

import json
from pathlib import Path

from bench.peers.adapters import engrain_words, mem0, txtai
from bench.peers.page import KEEPING, lay_table, write

FOUND = {
    "machine": {"system": "Linux", "processor": "Z80", "python": "3.11.7"}, "date": "2026-11-30",
    "load_ask_prompts": 3.0, "recall": 0.781, "hit_at_1": 0.7, "given_recall": 0.6,
    "junk_per_prompt": 0.42, "silent": 0.84, "tokens_per_prompt": 71,
}  # fmt: skip
KEPT = {
    "cold_search_ratio": 9.6, "warm_search_ms": 4.2, "save_ratio": 2.0, "bulk_per_s": 1234.5,
    "writers_stored": 398, "writers_acknowledged": 399, "killed_stored": 7,
    "killed_acknowledged": 8,
}  # fmt: skip


def test_a_table_has_a_dash_for_each_part_that_failed() -> None:
    found = {"one": {**KEPT, "name": "One"}, "two": {"name": "Two", "save_ratio": 3.0}}
    *_, one, two = lay_table(found, KEEPING).splitlines()
    assert one == "|One|10 ×|4|2.0 ×|1,234|398/399|1|7/8|"
    assert two == "|Two|–|–|3.0 ×|–|–|–|–|"


def test_the_page_begins_with_engrain_and_names_what_was_not_measured(tmp_path: Path) -> None:
    (tmp_path / "engrain_words.json").write_text(json.dumps(FOUND | KEPT))
    (tmp_path / "mem0.json").write_text(json.dumps(FOUND))
    (tmp_path / "txtai.json").write_text(json.dumps({"failed": "no Python 3.12 here"}))
    write(tmp_path / "page.md", tmp_path, ["mem0", "txtai", "engrain_words"])
    text = (tmp_path / "page.md").read_text()
    assert text.index(f"|{engrain_words.NAME}|0.78|") < text.index(f"|{mem0.NAME}|0.78|")
    assert f"Not measured: {txtai.NAME} (no Python 3.12 here)." in text
    assert "Linux, Z80, Python 3.11.7; 2026-11-30" in " ".join(text.split())
