"""Texts without a secret: lines of real code and prose, and what only looks like a secret."""

from __future__ import annotations

import sysconfig
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import UUID

from engrain.model.note.ids import make_id
from support.secret_kinds import HEX, draw

_PROJECT = Path(__file__).parent.parent.parent
_LONGEST_FILE = 400_000
_SHORTEST_LINE = 15
_SECRET_BY_DESIGN = ("test_netrc", "test_urllib2", "authlib", "secret", "fixture", "keycert")
"""Files whose examples are passwords and tokens, made up, but of the real form."""


def code_lines(random: Random, most: int) -> list[str]:
    """Lines of the standard library and of what is installed beside it."""
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"])]
    files = [file for root in roots for file in root.rglob("*.py") if _is_plain(file)]
    return _draw_lines(random, files, most)


def document_lines(random: Random, most: int) -> list[str]:
    """Lines of this project's own documents and code."""
    folders = (_PROJECT / "docs", _PROJECT / "src")
    files = [file for folder in folders for file in folder.rglob("*") if _is_plain(file)]
    return _draw_lines(random, files, most)


def _is_plain(file: Path) -> bool:
    right = file.suffix in (".py", ".md") and file.is_file()
    return (
        right
        and file.stat().st_size < _LONGEST_FILE
        and not any(part in str(file) for part in _SECRET_BY_DESIGN)
    )


def _draw_lines(random: Random, files: list[Path], most: int) -> list[str]:
    files = sorted(files)
    random.shuffle(files)
    found: dict[str, None] = {}
    for file in files:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        lines = [line for line in lines if len(line) >= _SHORTEST_LINE]
        # Some of each file, so that many files are drawn from.
        found |= dict.fromkeys(random.sample(lines, min(len(lines), 40)))
        if len(found) >= most:
            break
    return list(found)[:most]


def lookalikes(random: Random, rounds: int) -> Iterator[str]:
    """Hashes, ids, data and names that have the letters of a secret and are none."""
    for _ in range(rounds):
        commit, digest = draw(random, ((HEX, 40),)), draw(random, ((HEX, 64),))
        data = b64encode(random.randbytes(64)).decode()
        identity = str(UUID(int=random.getrandbits(128), version=4))
        entry = make_id(1_790_000_000.0, random.randbytes(10))
        name = "_".join(random.sample(_WORDS, 5))
        path = "/".join(random.sample(_WORDS, 4))
        number = random.randrange(1000, 99999)
        url64 = urlsafe_b64encode(random.randbytes(24)).decode()
        yield from (
            f"commit {commit}",
            f"Fixed in {commit[:10]}, which reverts {commit}.",
            f"Merge branch '{name}' of github.com:team/repo into {commit[:7]}",
            f"index {commit[:8]}..{digest[:8]} 100644",
            f"sha256:{digest}",
            f"image: registry.test/{path}@sha256:{digest}",
            f'"integrity": "sha512-{data}{data[:24]}=="',
            f"    --hash=sha256:{digest} \\",
            f'checksum = "{digest}"',
            f'resolved "https://registry.test/{path}/-/{name}-{number}.tgz#{commit}"',
            f"The request {identity} failed twice.",
            f"request_id={identity} status=500 took={number}ms",
            f"Derived from [[{entry}]], which {entry} replaces.",
            f"![chart](data:image/png;base64,iVBORw0KGgo{data})",
            f"src: url(data:font/woff2;base64,d09GMg{data})",
            f"def test_{name}_is_kept() -> None:",
            f"tests/unit/{path}/test_{name}.py::test_{name}_{number} PASSED",
            f"/home/deploy/{path}/{name}-{number}.log",
            f"https://docs.test/{path}/{name}?page={number}#section-{number}",
            f'ETag: W/"{commit[:32]}"',
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{data[:44]} deploy@build",
            f"cache key: orders/{number}/{commit[:12]}",
            f"primary_key: {name}_{number}",
            f"The token budget is {number}; max_tokens={number}, tokens used: {number}.",
            f"tokenizer: o{number}k_base, token_type: Bearer, token_count={number}",
            f"trace={digest[:32]} span={digest[:16]}",
            f"docker run -d --name {name} -p {number}:80 {path}:v{number}",
            f"The password policy asks for {number} bits and {name.replace('_', ' ')}.",
            f"password_hash_rounds = {number}; secret_name: {name.replace('_', '-')}",
            f"-----BEGIN CERTIFICATE-----\n{data}\n-----END CERTIFICATE-----",
            f"session {identity} ended after {number} turns",
            f"blob {url64[:8]} has {number} rows in {path}",
        )


_WORDS = (
    "user", "orders", "engine", "index", "reader", "token", "session", "access", "value", "writer",
    "vault", "recall", "history", "daily", "config", "client", "server", "queue", "batch", "record",
)  # fmt: skip
