"""Two servers that share the namespaces of one address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from engrain.resolution.shards import choose_shard
from support.postgres import Server, start_server
from unit.adapters.shell import Done, Shell


def test_namespaces_are_found_on_their_shards_and_an_answer_without_one_says_so(
    tmp_path: Path,
) -> None:
    servers = {name: start_server(fsync="off") for name in ("a", "b")}
    hosts = {name: quote(str(server.folder), safe="") for name, server in servers.items()}
    shell = Shell(tmp_path)
    environ = {
        "PGUSER": "postgres",
        "ENGRAIN_SHARDS": " ".join(f"{name}={host}" for name, host in hosts.items()),
    }

    def run(*argv: str, code: int = 0) -> Done:
        done = shell.run(*argv, environ=environ)
        assert done.code == code, done.out + done.err
        return done

    on = {name: choose_shard(name, ["a", "b"]) for name in ("team", "ops")}
    assert set(on.values()) == {"a", "b"}
    for host in hosts.values():
        run("admin", "migrate", f"postgres://{host}/postgres")
    address = {name: f"postgres:///postgres?namespace={name}" for name in on}
    for name, place in address.items():
        run("admin", "namespace", place)
        run("--vault", place, "save", f"The sluice of {name} has two gates.", "--kind", "fix")
        assert count_namespaces(servers[on[name]], name) == 1
        assert sum(count_namespaces(server, name) for server in servers.values()) == 1
    both = ["--vault", address["team"], "recall", "how many gates has the sluice", "--also"]
    found = run(*both, address["ops"]).out
    assert "sluice of team" in found
    assert "sluice of ops" in found
    servers[on["ops"]].stop()
    done = run(*both, address["ops"])
    assert "sluice of team" in done.out
    assert "sluice of ops" not in done.out
    assert "namespace=ops" in done.out + done.err


def count_namespaces(server: Server, name: str) -> int:
    with server.connect("postgres") as connection:
        found = connection.execute(
            "SELECT FROM engrain.namespaces WHERE namespace = %s", (name,)
        ).fetchall()
    return len(found)
