"""Prompts and recalls of a team's member in cold processes: over a namespace of PostgreSQL, whose
index is on this device, in turn with the same over a folder and with `python -c pass`."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from bench import corpus
from bench.measure import timed
from bench.migration import open_store
from bench.remote import PASS, PROMPT, Taken
from bench.vault import HISTORY_UP_TO, make_vault
from engrain import open_memory
from engrain_team.moving import copy_store

QUESTIONS = 50
_RECALL = ("-m", "engrain", "recall")
ROWS = (
    ("prompt over a namespace of {entries} entries, p50 / p95",
     "{prompt_p50_ms} / {prompt_p95_ms} ms"),
    ("… the same over a folder", "{prompt_folder_p50_ms} / {prompt_folder_p95_ms} ms"),
    ("prompts with something to say", "{prompt_answers} of {asked}"),
    ("… over a folder", "{prompt_folder_answers} of {asked}"),
    ("`engrain recall` over a namespace, p50 / p95", "{recall_p50_ms} / {recall_p95_ms} ms"),
    ("… the same over a folder", "{recall_folder_p50_ms} / {recall_folder_p95_ms} ms"),
    ("`python -c pass`, p50 / p95", "{pass_p50_ms} / {pass_p95_ms} ms"),
    ("processor time of a recall over a namespace",
     "{recall_cpu_ms} ms"), ("… over a folder", "{recall_folder_cpu_ms} ms"),
    ("… `pass`", "{pass_cpu_ms} ms"),
    ("a new device makes its index", "{index_s} s"),
)  # fmt: skip


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures for namespaces of so many entries."""
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "engrain-team" / "tests")]
    from team.servers import OWNER, start_server  # the package may not be there

    server = start_server()
    server.make_template()
    return [
        {
            "entries": size,
            **_measure(
                size, folder / f"n{size}", server.address(server.make_database(), OWNER, "team")
            ),
        }
        for size in sizes
    ]


def _measure(size: int, folder: Path, address: str) -> dict[str, object]:
    from unit.adapters.shell import Shell

    shell = Shell(folder)
    del shell.environ["PYTHONDONTWRITEBYTECODE"]
    make_vault(shell.vault, shell.state, size)
    with (
        closing(open_store("device_local", str(shell.vault), folder)) as source,
        closing(open_store("postgres", address, folder, source.vault)) as target,
    ):
        copy_store(source, target)
        target.begin_use()
    own = dict(shell.environ)
    member = own | {"ENGRAIN_VAULT": address, "ENGRAIN_STATE_DIR": str(folder / "member")}

    with open_memory(address, state_dir=folder / "member") as memory:
        index = timed(memory.reindex)
    taken = Taken(shell.here)
    for number, question in enumerate(corpus.real_questions(QUESTIONS)):
        taken.time("prompt", member, PROMPT, question, f"n{number}")
        taken.time("recall", member, (*_RECALL, question))
        if size <= HISTORY_UP_TO:  # larger ones would be scanned
            taken.time("prompt_folder", own, PROMPT, question, f"f{number}")
            taken.time("recall_folder", own, (*_RECALL, question))
        taken.time("pass", own, PASS)
    return {**taken.describe(), "asked": QUESTIONS, "index_s": round(index, 1)}
