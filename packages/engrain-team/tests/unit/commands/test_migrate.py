"""`engrain migrate`: a vault in files becomes a namespace, and files again."""

from __future__ import annotations

from pathlib import Path

from team.servers import OWNER, shared_server
from unit.adapters.shell import Inside


def read_notes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".engrain" not in path.parts
    }


def test_a_vault_goes_to_a_database_and_back(tmp_path: Path) -> None:
    shell = Inside(tmp_path)
    server = shared_server()
    address = server.address(server.make_database(), OWNER, "team")
    here = {"ENGRAIN_VAULT": address}
    back = tmp_path / "back"

    def run(*argv: str, code: int = 0, environ: dict[str, str] | None = None) -> str:
        done = shell.run(*argv, environ=environ or {})
        assert done.code == code, done.out + done.err
        return done.out + done.err

    run("init")
    run("save", "The staging database listens on port 5544.", "--kind", "fix")
    assert "stays in use" in run("migrate", "--to", address)
    run("save", "Deploys of the shop need the blue flag.", "--kind", "workflow")
    assert "is being filled" in run("save", "Too early.", environ=here, code=1)
    before = read_notes(shell.vault)
    said = run("migrate", "--to", address, "--finish")
    assert "moved; name" in said
    assert read_notes(shell.vault) == before
    assert "has moved to postgres://" in run("save", "Too late.", code=5)

    assert "5544" in run("recall", "which port does the staging database use", environ=here)
    assert "blue flag" in run("list", environ=here)
    assert "Nothing is wrong" in run("check", "history", environ=here)
    run("doctor", environ=here)
    shown = run("list", "--json", environ=here)
    assert '"external"' not in shown, "the codes of the vault's key hold on"
    run("save", "The queue is drained at noon.", "--kind", "fix", environ=here)

    run("migrate", "--to", str(back), "--finish", environ=here)
    assert "has moved to" in run("save", "Too late.", code=1, environ=here)
    home = {"ENGRAIN_VAULT": str(back)}
    assert "drained at noon" in run("recall", "when is the queue drained", environ=home)
    assert "Nothing is wrong" in run("check", "history", environ=home)
    notes = read_notes(back)
    before.pop("Memory/ARCHITECTURE.md")  # a page for people, which `init` writes
    assert {place: notes[place] for place in before} == before
    run("save", "Back in files.", environ=home)


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    shell = Inside(tmp_path)
    shell.run("init")
    other = tmp_path / "other"
    shell.run("init", environ={"ENGRAIN_VAULT": str(other)})
    done = shell.run("migrate", "--to", str(other))
    assert done.code == 4
    assert "another vault" in done.err
    done = shell.run("migrate", "--to", "postgres://ann:s3cret@db/memory?namespace=n")
    assert done.code == 2
    assert "s3cret" not in done.err
