"""A change of ranking is seen: what each question of the sample gets is written down beside this.

After a change that is meant, rewrite the record:
`python tests/unit/evaluation/test_ranking_gate.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import engrain

RECORD = Path(__file__).parent / "sample_rankings.json"
QUESTIONS = Path(engrain.__file__).parent / "sample" / "questions.jsonl"
_SHOWN = 3


def ask_sample(folder: Path) -> dict[str, list[str]]:
    """The slugs that each question of the sample gets, best first, without any model."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ENGRAIN_EMBEDDER": "none",
        "ENGRAIN_VAULT": str(folder / "vault"),
        "ENGRAIN_STATE_DIR": str(folder / "state"),
        "ENGRAIN_PROJECT": "billing",
    }
    command = [sys.executable, "-m", "engrain", "demo", "--keep", str(folder / "vault")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    script = (
        "import json, sys, engrain\n"
        "with engrain.open_memory() as memory:\n"
        "    for line in open(sys.argv[1], encoding='utf-8'):\n"
        "        question = json.loads(line)['question']\n"
        f"        found = memory.recall(question, limit={_SHOWN}).results\n"
        "        print(json.dumps([question, [one.row.slug for one in found]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(QUESTIONS)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_the_sample_s_questions_get_what_is_on_record(tmp_path: Path) -> None:
    expected = json.loads(RECORD.read_text(encoding="utf-8"))
    assert ask_sample(tmp_path) == expected


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        rankings = ask_sample(Path(place))
    RECORD.write_text(json.dumps(rankings, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
