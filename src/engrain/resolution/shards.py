"""Choose the server of a namespace by rendezvous hashing (Thaler and Ravishankar 1998).

The setting `shards` lists servers as `a=db1.example b=db2.example,db2b.example:5433`: a constant
name, and the hosts of a primary and its replicas. A namespace is on the shard for which the SHA-256
of the shard's name, a zero byte and the namespace is greatest, compared as bytes. So every client
finds it by itself, and a new shard takes 1/n of the namespaces and moves no other.
"""

from __future__ import annotations

from hashlib import sha256

from engrain.model.errors import ConfigError

_OPEN = "postgres://"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def read_shards(setting: str) -> dict[str, str]:
    """Return the hosts of each shard by its name. Raises ConfigError."""
    shards: dict[str, str] = {}
    for word in setting.split():
        name, _, hosts = word.partition("=")
        if not hosts or not name or not _LETTERS.issuperset(name) or name in shards:
            raise ConfigError(
                f"shards has {word[:80]!a}", remedy="write NAME=HOST[:PORT][,HOST…] for each"
            )
        shards[name] = hosts
    return shards


def choose_shard(namespace: str, names: list[str]) -> str:
    """Return the name of the shard of a namespace."""
    return max(names, key=lambda name: sha256(f"{name}\0{namespace}".encode()).digest())


def find_shard(location: str, setting: str) -> str:
    """Return an address without hosts with those of its namespace's shard, any other location
    unchanged. Raises ConfigError."""
    role, slash, rest = location.removeprefix(_OPEN).partition("/")
    if not location.startswith(_OPEN) or not slash or role.rpartition("@")[2]:
        return location
    shards = read_shards(setting)
    namespace = rest.partition("namespace=")[2]
    if not shards or not namespace:
        return location
    return f"{_OPEN}{role}{shards[choose_shard(namespace, list(shards))]}/{rest}"
