"""Texts that look as if they had a secret, and blocks of PEM, made anew at each run from a seed, so
that nothing that looks real stands in a file."""

from __future__ import annotations

from base64 import b64encode
from random import Random
from uuid import UUID

from support.secret_kinds import BASE64, HEX, draw


def make_block(random: Random, kind: str) -> str:
    """A PEM block."""
    lines = "\n".join(draw(random, ((BASE64, 64),)) for _ in range(6))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def make_decoys(random: Random, rounds: int) -> list[str]:
    """Texts that have no secret and much that looks like one."""
    made = []
    for _ in range(rounds):
        commit, digest = draw(random, ((HEX, 40),)), draw(random, ((HEX, 64),))
        short = commit[:8]
        identity = str(UUID(int=random.getrandbits(128)))
        entry = "01k8" + draw(random, (("0123456789abcdefghjkmnpqrstvwxyz", 22),))
        block = b64encode(random.randbytes(48)).decode()
        number = random.randrange(1000, 99999)
        made += [
            f"Fixed in {commit}; see also {short}.",
            f"sha256:{digest} is the image that runs.",
            f"sha256({number}.tar.gz) = {digest}",
            f"The request {identity} failed twice.",
            f"Derived from {entry}, which [[{entry}]] replaces.",
            f'"integrity": "sha512-{block}{block[:24]}=="',
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{block} deploy@build",
            make_block(random, "PUBLIC KEY"),
            make_block(random, "CERTIFICATE"),
            f"![chart](data:image/png;base64,iVBORw0KGgo{block})",
            f"The token budget is {number}; max_tokens: {number}.",
            f"password = getpass.getpass()  # line {number}",
            'token = os.environ["SERVICE_TOKEN"]',
            "api_key: <your-api-key>",
            "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "aws_access_key_id = <your-key-id>",
            "DATABASE_URL=postgres://user:password@localhost:5432/app",
            "DATABASE_URL=postgres://postgres:postgres@localhost:5432/app",
            "redis://:${REDIS_PASSWORD}@cache:6379/0",
            f"http://localhost:{number}/users/@me and https://a.test:8443/@b",
            "ssh://git@host.test:22/team/repo.git, git@host.test:team/repo.git",
            f"token_id: {identity}",
            f"password_hash_algorithm: argon2id, cost {number}",
            "The password is required and must have 12 characters.",
            "The token is base64url without padding, signed with HMAC-SHA256.",
            f"secret: k8s-secret-v{number % 9}",
            "password: see [[where the passwords are]]",
            "secretName: registry-credentials",
            "- token: string, required\n- password: string | null",
            "The API key is rotated every 90 days; the secret was moved to the vault.",
            "Authorization: Bearer <token>",
            "Authorization: Bearer ${TOKEN}",
            "Basic authentication is off, bearer tokens are on.",
            f"access_token_ttl = {number}",
            "pwd=/home/deploy/app",
            f"cache key: orders/{number}/by-day",
            f"primary key: order_{number}",
            "tokenizer: o200k_base, cl100k_base",
            f"expires 2026-0{number % 9 + 1}-12T10:00:00Z, version 4.{number}.0",
            "password: ********",
            "SECRET_KEY = config('SECRET_KEY')",
            'auth_token: "${{ secrets.AUTH_TOKEN }}"',
            f"run --token-file /run/secrets/token --port {number}",
            "the passphrase was long-lived and well-chosen",
            "passport: required; bypass: allowed; compass: north-east",
            f"secret santa: {number} gifts, password reset: 24h",
            "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256",
            "pass: 12/14 tests, pass rate: 98.75%, pass@1: 0.8123",
            f"credentials: see CVE-2024-{number}",
            "secret: projects/shop/secrets/db/versions/4",
            "api_key=api_key, token=token, password: str | None = None",
        ]
    return made
