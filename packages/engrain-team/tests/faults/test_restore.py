"""A backup is restored as of a moment, as `docs/operate.md` has it, and what was erased since is
erased again before members are let in."""

from __future__ import annotations

import json
from pathlib import Path

from engrain.model.history.record import decode_record
from team.servers import Server, start_server
from unit.commands.test_admin import Person

SECRET = "The safe is behind the clock."


ARCHIVE = "mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f"


def texts(server: Server, database: str) -> bytes:
    """The notes of the database, now and as the history has them."""
    with server.connect(database) as connection:
        found = [raw for (raw,) in connection.execute("SELECT raw FROM engrain.files").fetchall()]
        links = connection.execute("SELECT line, payload FROM engrain.links").fetchall()
    for line, payload in links:
        found += [file.after or b"" for file in decode_record(line, payload).files or ()]
    return b"\n".join(found)


def test_a_restored_backup_erases_again_what_was_erased_since(tmp_path: Path) -> None:
    server = start_server(fsync="off", archive_mode="on", archive_command=ARCHIVE)
    server.make_template()
    ann, admin = Person(tmp_path, "ann"), Person(tmp_path, "postgres")
    database = server.make_database()
    team = server.address(database, "").replace("@", "") + "?namespace=team"
    admin("admin", "namespace", team)
    admin("admin", "access", team, "--role", "ann", "--may", "writer")
    secret = ann.ask("--vault", team, "save", SECRET, "--kind", "fix")["id"]
    backup = server.folder / "backup"
    server.back_up(backup)
    ann("--vault", team, "save", "Staging listens on port 5544.", "--kind", "fix")
    with server.connect(database) as connection:
        moment = connection.execute("SELECT clock_timestamp()::text").fetchone()
    assert moment
    ann("--vault", team, "save", "This was a mistake.", "--kind", "fix")
    admin("--vault", team, "erase", secret, "--yes")
    kept = tmp_path / "erased.json"
    said = admin("admin", "tombstones", team.partition("?")[0], "--export", str(kept)).out
    assert "1 id of erased entries in 1 namespace" in said
    assert json.loads(kept.read_text())["erased"][0]["ids"] == [secret]
    assert SECRET not in kept.read_text()
    with server.connect(database) as connection:
        last = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
    assert last
    server.wait_for(f"SELECT last_archived_wal >= '{last[0]}' FROM pg_stat_archiver")
    server.stop("fast")

    restored = start_server(
        backup=backup,
        fsync="off",
        restore_command=f"cp {server.folder}/archive/%f %p",
        recovery_target_time=moment[0],
        recovery_target_action="promote",
    )
    restored.wait_for("SELECT NOT pg_is_in_recovery()")
    assert SECRET.encode() in texts(restored, database)
    assert b"port 5544" in texts(restored, database)
    assert b"a mistake" not in texts(restored, database)
    again = restored.address(database, "").replace("@", "") + "?namespace=team"
    refused = ann("--vault", again, "list", code=5).err
    assert "restored as of a moment" in refused
    assert "tombstones --apply" in refused
    assert "safe" not in refused
    (tmp_path / "new").mkdir()
    fresh = Person(tmp_path / "new", "postgres")  # a machine that knows nothing of the erasure
    done = fresh("admin", "tombstones", again.partition("?")[0], "--apply", str(kept)).out
    assert "team: 1 entry erased again" in done
    assert SECRET.encode() not in texts(restored, database)
    assert b"safe" not in texts(restored, database)
    assert "5544" in fresh("--vault", again, "recall", "port of staging").out
    assert "Nothing is wrong" in fresh("--vault", again, "check", "history").out
    assert "team: 0 entries" in fresh("admin", "tombstones", again, "--apply", str(kept)).out
    assert "restored" in ann("--vault", again, "recall", "port of staging", code=5).err
    restored.stop("fast")
    del restored.options["recovery_target_time"]
    restored.start()
    # Who worked before the restore goes on, and shows neither.
    ann("--vault", again, "save", "The sluice has two gates.", "--kind", "fix")
    listed = ann("--vault", again, "list").out
    assert "sluice" in listed
    assert "safe" not in listed
    assert "mistake" not in listed
    assert "Nothing is wrong" in ann("--vault", again, "check", "history").out
