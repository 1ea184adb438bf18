"""Two namespaces of one database, each with a canary in everything that can be written, and
nothing of one in any answer of the other."""

from __future__ import annotations

import json
from pathlib import Path

from team.servers import OWNER, shared_server
from unit.adapters.shell import Inside

CANARY = "zyxcanary"
QUESTIONS = [
    ["recall", CANARY],
    ["recall", CANARY, "--explain", "--profile", "deep", "--include-archive", "--all-projects"],
    ["list", "--all-projects", "--include-archive", "--include-superseded"],
    ["history"],
    ["digest"],
    ["graph", "export"],
    ["episode", "stats"],
    ["doctor"],
    ["check", "history"],
    ["show", f"{CANARY}-rule"],
    ["undo", "laptop-1"],
]


def test_no_answer_of_one_namespace_says_a_word_of_the_other(tmp_path: Path) -> None:
    server = shared_server()
    one, other = server.own_address(OWNER), server.own_address(OWNER)
    shell = Inside(tmp_path)

    def run(*argv: str, vault: str) -> str:
        done = shell.run(*argv, environ={"ENGRAIN_VAULT": vault})
        assert "Traceback" not in done.err
        return done.out + done.err

    run("init", vault=one)
    run("init", vault=other)
    told = run(
        "save", f"The {CANARY} bird sings.", "--title", f"{CANARY} rule", "--tag", CANARY, "--json",
        vault=one,
    )  # fmt: skip
    id_ = json.loads(told.splitlines()[0])["data"]["id"]
    run("evolve", id_, f"The {CANARY} bird is silent, says [[{CANARY} page]].", vault=one)
    run("today", f"{CANARY} was heard", vault=one)
    assert CANARY in run("recall", CANARY, vault=one)
    run("save", "Something else entirely about harbours.", vault=other)
    for question in [*QUESTIONS, ["show", id_], ["history", id_], ["forget", id_], ["erase", id_]]:
        said = run(*question, vault=other)
        # What was asked may be repeated; nothing else of the canary's may be there.
        for word in question:
            said = said.replace(word, "")
        assert CANARY not in said, question
        assert "bird" not in said, question
