"""Whether a value is secret-shaped: what a placeholder, a word or a piece of code never is.

A value behind a prefix that only secrets have (`token`) must not be a placeholder. One that is
known by its key alone must look like no word, path, date or call: `keyed` for tokens, `password`
for what people think of, `stated` for prose ("the password is …"). The answer is how many of its
characters are the secret, without the punctuation behind it; 0 where it is none.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STAND_INS = (
    "example", "placeholder", "changeme", "change-me", "change_me", "your", "dummy", "xxxx", "***",
    "...", "…", "redacted", "insert", "replace", "sample", "{{", "00000000", "12345678-1234",
)  # fmt: skip
_PLACEHOLDER = re.compile(
    r"[<\[{(]"  # <your-key>, [redacted: …], {password}, [[a link]]
    r"|\$\{?[A-Za-z_][\w.]*\}?\Z|\$\(|\$\{\{"  # $TOKEN, ${TOKEN}, $(command), ${{ secrets.TOKEN }}
    r"|!(?i:vault|ref|sub|secret|env|include)\b"  # !vault |, !Ref Token
    r"|%[A-Za-z_]*%?\Z|%\(|@[A-Za-z_]+@\Z|:[a-z_]+\Z"  # %TOKEN%, %s, %(name)s, @TOKEN@, :token
)
_CODE = re.compile(r"!?[A-Za-z_][\w.:]*[(\[{]|\w+\)\.|(?:self|this|process|os|env|vars?)\.")
_CLASS = re.compile(r"(?:[A-Z][a-z]{1,14}\d{0,5}){2,}\Z")  # `Ed25519PrivateKey`
_PATH = re.compile(
    r"(?:[.~]{0,2}|[A-Za-z]:|[\w.:-]+)[/\\](?![A-Za-z0-9+/]{28,}={0,2}\Z)[\w./\\ :#-]*\Z"
)
_DATED = re.compile(r"[\d.,:/TZ+_-]+\Z")
# Words and small numbers: `base64`, `RFC6750`, `k8s-secret-v1`, `two-factor`, `config.auth.key`.
_WORDS = re.compile(
    r"(?:[A-Za-z]{1,14}\d{0,4}[A-Za-z]?|\d{1,4}[A-Za-z]?)(?:[-_.:/+][A-Za-z]{0,14}\d{0,6}[A-Za-z]?)*\Z"
)
_ALGORITHM = re.compile(
    r"(?:pbkdf|bcrypt|scrypt|argon|hmac|sha|md|aes|rsa|ecdsa|ed|oauth|base|utf|hs|rs|es|x|rfc|int"
    r"|uint|float|ascii|iso|totp|otp|2fa|mfa|p|k8s|v)[-_]?\d[\w-]{0,8}\Z",
    re.IGNORECASE,
)
# The last part of a key that names a thing about a secret and not the secret.
_ABOUT = {
    "id", "ids", "name", "names", "count", "type", "types", "path", "file", "files", "filename",
    "url", "uri", "endpoint", "len", "length", "limit", "limits", "size", "sizes", "hash", "sha",
    "digest", "checksum", "expiry", "expires", "expiration", "expire", "exp", "at", "ttl", "age",
    "version", "policy", "prefix", "suffix", "field", "fields", "label", "reset", "rotation",
    "manager", "store", "storage", "ref", "arn", "budget", "usage", "used", "rate", "index",
    "column", "hint", "min", "max", "cost", "price", "kind", "format", "encoding", "algorithm",
    "alg", "header", "scheme", "issuer", "audience", "scope", "scopes", "status", "enabled",
    "required", "lifetime", "timeout", "parameter", "param", "flow", "provider", "dir", "folder",
    "variable", "owner", "user",
}  # fmt: skip
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_WORD_SYMBOLS = "-_./+=:~"

_SHORTEST_TOKEN = 10
_SHORTEST_PASSWORD = 6
_SHORTEST_STATED = 7
_UNIFORM = 2.2  # bits a character: below that it is a few signs over and over
_RANDOM = 2.9


def weigh_token(value: str, _before: str) -> int:
    """A value that has a prefix or a form of its own: only a placeholder is none."""
    return 0 if _stands_in(value) or _bits(value[-24:]) < _UNIFORM else len(value)


def weigh_block(value: str, _before: str) -> int:
    """What its form tells without doubt."""
    return len(value)


def weigh_url(value: str, before: str) -> int:
    """A password in a URL; not the user's own name again, nor a word for where it goes."""
    user = before.rpartition("://")[2].rstrip(":")
    plain = value.lower() in ("password", "passwd", "pass", "pwd", "secret", "token", "user", "pw")
    none = plain or value == user or _stands_in(value) or len(set(value)) < 2
    return 0 if none else len(value)


def weigh_keyed(value: str, before: str) -> int:
    """A token known by its key."""
    value = _trim(value)
    if len(value) < _SHORTEST_TOKEN or _names_another(before) or _is_plain(value):
        return 0
    named = _WORDS.match(value) or _CLASS.match(value)
    random = not named and _is_mixed(value) and _bits(value) >= _RANDOM
    return len(value) if random else 0


def weigh_password(value: str, before: str) -> int:
    """A password known by its key: shorter, and often a word with a number behind."""
    value = _trim(value)
    if len(value) < _SHORTEST_PASSWORD or _names_another(before):
        return 0
    if value.isdecimal():
        return len(value) if len(set(value)) > 2 else 0
    if _is_plain(value) or _ALGORITHM.match(value):
        return 0
    words = _WORDS.match(value) and not value.isalnum()
    chosen = not words and _is_mixed(value) and _bits(value) >= _UNIFORM
    return len(value) if chosen else 0


def weigh_stated(value: str, before: str) -> int:
    """A secret told in a sentence: nothing that could be the next word of it."""
    value = _trim(value)
    counted = value.isdecimal() and "pass" not in before.lower()
    return 0 if counted or len(value) < _SHORTEST_STATED else weigh_password(value, before)


WEIGHTS: dict[str, Callable[[str, str], int]] = {
    "block": weigh_block,
    "token": weigh_token,
    "url": weigh_url,
    "keyed": weigh_keyed,
    "password": weigh_password,
    "stated": weigh_stated,
}


def _stands_in(value: str) -> bool:
    lowered = value.lower()
    return bool(_PLACEHOLDER.match(value)) or any(word in lowered for word in _STAND_INS)


def _is_plain(value: str) -> bool:
    """A placeholder, code, a path, a URL, a date or a sentence."""
    return bool(
        _stands_in(value)
        or any(char.isspace() for char in value)
        or "://" in value
        or _CODE.match(value)
        or _PATH.match(value)
        or _DATED.match(value)
    )


def _is_mixed(value: str) -> bool:
    """Letters and something else that words and their joints don't have."""
    letters = any(char.isalpha() for char in value)
    others = any(not char.isalpha() and char not in _WORD_SYMBOLS for char in value)
    return letters and others


def _names_another(before: str) -> bool:
    """Whether the key in front is one about a secret: `token_id`, `passwordPolicy`."""
    parts = [part for part in _PARTS.split(before) if part]
    return bool(parts) and parts[-1].lower() in _ABOUT


def _trim(value: str) -> str:
    return value.rstrip(".,;:)]}*")


def _bits(value: str) -> float:
    """Shannon's entropy of the characters, in bits each."""
    from math import log2

    size = len(value)
    counts = [value.count(char) for char in set(value)]
    return -sum(count / size * log2(count / size) for count in counts)
