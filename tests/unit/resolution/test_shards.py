"""Which server keeps a namespace, decided by every client alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError
from engrain.resolution.selector import resolve
from engrain.resolution.shards import choose_shard, find_shard, read_shards

SHARDS = "a=db1.example b=db2.example,db2b.example:5433 c=%2Fvar%2Frun"
NAMES = [f"team{number}" for number in range(3000)]


def test_the_choice_is_the_same_for_ever() -> None:
    """These are facts about stored namespaces: another answer would lose them."""
    found = {name: choose_shard(name, ["a", "b", "c"]) for name in ("team", "ann", "ops", "x.y-z")}
    assert found == {"team": "a", "ann": "a", "ops": "b", "x.y-z": "c"}


def test_namespaces_are_spread_evenly() -> None:
    counts = Counter(choose_shard(name, ["a", "b", "c"]) for name in NAMES)
    assert all(900 < count < 1100 for count in counts.values())


def test_another_shard_takes_its_share_and_moves_no_other() -> None:
    before = {name: choose_shard(name, ["a", "b", "c"]) for name in NAMES}
    after = {name: choose_shard(name, ["b", "d", "a", "c"]) for name in NAMES}
    moved = {name for name in NAMES if before[name] != after[name]}
    assert {after[name] for name in moved} == {"d"}
    assert 600 < len(moved) < 900


def test_an_address_without_a_host_gets_that_of_its_shard() -> None:
    found = find_shard("postgres://ann@/memory?namespace=ops", SHARDS)
    assert found == "postgres://ann@db2.example,db2b.example:5433/memory?namespace=ops"
    assert find_shard("postgres:///memory?namespace=team", SHARDS) == (
        "postgres://db1.example/memory?namespace=team"
    )


@pytest.mark.parametrize(
    "location",
    [
        "postgres://db/memory?namespace=team",
        "postgres://ann@db/memory?namespace=team",
        "postgres:///memory",
        "ram:notes",
        "/home/ann/vault",
    ],
)
def test_any_other_location_stays(location: str) -> None:
    assert find_shard(location, SHARDS) == location


@pytest.mark.parametrize("setting", ["db1", "a=", "=db1", "A=db1", "a=db1 a=db2", "a/b=db1"])
def test_a_setting_that_names_no_shards_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError):
        read_shards(setting)


def test_the_order_of_the_shards_does_not_matter() -> None:
    for name in NAMES[:100]:
        assert choose_shard(name, ["a", "b", "c"]) == choose_shard(name, ["c", "a", "b"])


def test_a_vault_is_found_by_the_setting_and_never_by_a_project(tmp_path: Path) -> None:
    environ = {"ENGRAIN_SHARDS": SHARDS, "HOME": str(tmp_path)}
    vault = {"vault": "postgres:///memory?namespace=team"}
    found = resolve(vault, environ, str(tmp_path))
    assert found.location == "postgres://db1.example/memory?namespace=team"
    (tmp_path / ".engrain.toml").write_text('shards = "a=evil.example"\n')
    with pytest.raises(ConfigError):
        resolve(vault, {"HOME": str(tmp_path)}, str(tmp_path))
