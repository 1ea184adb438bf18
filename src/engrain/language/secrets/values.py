"""Whether a value is secret-shaped: what a placeholder, a word or a piece of code never is.

A value behind a prefix that only secrets have (`token`) must not be a placeholder. One that is
known by its key alone must look like no word, path, date or call: `keyed` for tokens, `password`
for what people think of, `stated` for prose ("the password is …"). The answer is how many of its
characters are the secret, without the punctuation behind it; 0 where it is none.

The functions before `token` read what stands around a value: code, markup or a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2

from engrain.language.lexicons import read_words

_CALLS = (
    r"[$@%&!*_]{0,2}[A-Za-z_][\w.:]{2,60}\((?:[\w$&\"'({\[@\\*.)]|\Z)"
    r"|[$@%&]{0,2}[\w.:]{0,60}(?:->|::)[\w${(\[@]"
    r"|@[A-Za-z][A-Za-z_.-]{0,60}(?:\(|\Z)|[@$%]{1,2}[({]|[$@%]{1,2}[A-Za-z_]\w{0,60}[\[{/]"
    r"|\?[A-Za-z][\w -]{0,60}\Z|[^\s]{0,80}\(\?[:=!<P]|[A-Z]<[$\w]|[A-Za-z_][\w ]{0,40}\)\$?/"
)
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,40}=(?=[^\s=])")
"""Of a call, of a header, of a command: `rounds=200000`, `charset=utf-8`."""
_MARKUP = (
    r"#[A-Za-z][A-Za-z_/-]{0,80}\d?\Z"  # a tag or an anchor
    r"|&(?:#x?[0-9A-Fa-f]{1,6}|quot|lt|gt|amp|apos|nbsp);?"  # an entity
    r"|[A-Za-z]{1,20}#\d[\d,#A-Za-z]{0,40}\Z"  # Bug#123, PKCS#12
    r"|[A-Za-z]{1,20}[&@#][a-z]{1,20}\Z"  # cut&paste, user@site
    r"|[\w.+-]{1,64}@[A-Za-z][\w-]{0,40}(?:\.[A-Za-z][\w-]{0,40}){1,5}\Z"  # an address
    r"|[\w*./-]{0,80}\.(?:pub|js|ts|py|pl|md|rs|go|rb|sh|c|h|so|o|txt|json|ya?ml|toml|html?)\Z"
    r"|[\w./*-]{0,80}/[\w.*-]{1,80}\*|[*.]{1,2}/"  # a pattern of paths
    r"|[A-Za-z_-]{2,40}(?::[A-Za-z_-]{2,40}){0,3}:?<[A-Za-z_ -]{1,40}>?\Z"  # chat:<id>
    r"|(?:\$\(|`)[a-z]{2,20}[)`]"  # a command
    r"|[\w.-]{0,40}(?:25519|448|-sha\d{1,3}|-cbc|-gcm|CBC-HS\d{3})[\w.@-]{0,40}\Z"
)
_QUESTION = re.compile(r"[A-Za-z]{1,40}\?\Z|[A-Za-z]{1,40}[\]\[()]{1,4}\Z")
_WRITTEN_END = r"\\[nrt](?![A-Z0-9])|&(?:#x?[0-9A-Fa-f]{1,6}|quot|lt|gt|apos|nbsp)(?:;|\Z)"
"""What ends a value in text within a string, or in a page: a new line, an entity."""
_LOCAL_ONLY = re.compile(
    r"[a-z]{1,4}\Z|\d{1,4}\Z|[a-z]{0,8}(?:password|secret)\Z|(?:pserver:)?anon\w{0,20}\Z"
)
_COMMAND = re.compile(r"[a-z]{2,20}\d{1,2}[a-z]{0,20}\Z")
_SPELLED = re.compile(r"[A-Z]?[a-z]{3,40}")
_UNSPEAKABLE = r"(?i)[bcdfghjklmnpqrstvwxz]{5}"
_KEY_LINES = re.compile(r"[A-Za-z0-9+/=]{16}|Proc-Type|Version|Comment")

_VOWELS = frozenset("aeiouyAEIOUY")
_OTHER_KEY = (
    r"[\"'][\w.-]{1,60}\\?[\"']\s{0,2}:\s{0,2}\\?[\"']?\Z|[{,]\s{0,2}\w{1,40}:\s{0,2}[\"']\Z"
    r"|(?<![\w.-])[A-Za-z_][\w.-]{0,40}=[\"'`]?\Z"
)
"""`"requestId":"` or `id="` right before a value: the value is that key's."""
_METHOD = re.compile(r"\.\w{1,40}\(\\?[\"']?\Z")
_FILE = re.compile(r"\.[a-z]{1,5}:\d")
_GETTERS = ("get_", "set_", "has_", "check_", "verify_", "delete_", "find_", "get", "encode_")
_IN_ADDRESS = re.compile(r"://[^\s?#&=\"'<>]{0,110}\Z")
_BLOB = re.compile(r"[A-Za-z0-9+/]{40}\Z")
_GROUPS = read_words("secrets", "words")["groups"]


def cut_end(value: str) -> str:
    """Return a value up to what ends it in text that is written within a string or a page."""
    return re.split(_WRITTEN_END, value, maxsplit=1)[0]


def is_code(value: str) -> bool:
    """Return whether a value is an expression of code, or a mark of a page or a note."""
    return bool(re.match(_CALLS, value) or re.match(_MARKUP, value) or _QUESTION.match(value))


def is_argument(value: str) -> bool:
    """Return whether a word of a sentence is a name with its own value."""
    return bool(_ARGUMENT.match(value))


def is_command(value: str) -> bool:
    """Return whether a word on a line of its own is the name of a program: `zip2john`."""
    return bool(_COMMAND.match(value))


def is_wordy(value: str) -> bool:
    """Return whether most letters of a value are in words, as in a name of code."""
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdecimal, value))
    words = [word for word in _SPELLED.findall(value) if len(word) > 3]
    words = [word for word in words if not re.search(_UNSPEAKABLE, word)]
    spelled = sum(len(word) for word in words if not _VOWELS.isdisjoint(word.lower()))
    return digits * 6 <= letters and spelled * 5 >= letters * 3


def has_key(block: str) -> bool:
    """Return whether the beginning of a private key has anything of a key in it."""
    return bool(_KEY_LINES.search(block))


def is_for_show(value: str) -> bool:
    """Return whether the password of a URL is too short to be one, or says that it is one."""
    return bool(_LOCAL_ONLY.match(value.replace("%20", "").replace("my", "", 1)))


def is_sentence(groups: str) -> bool:
    """Return whether four groups of four letters are words of a sentence."""
    return not _GROUPS.isdisjoint(groups.split())


def is_apart(text: str, start: int, end: int, value: int) -> bool:
    """Return whether a value that a mark joins to the name from `start` to `end` is not the
    name's: a call of its method, a place in a file, a regular expression, encoded data."""
    between = text[end:value]
    if _METHOD.search(between) or _FILE.search(between) or "(?" in text[start - 60 : value + 60]:
        return True
    before = text[max(0, start - 40) : start]
    if before.endswith(_GETTERS) and "(" in between:
        return True
    return bool(_BLOB.search(before))


def is_anothers(text: str, start: int, between: str) -> bool:
    """Return whether a word behind a name that begins at `start`, in the same sentence, has a key
    of its own, or the name is a variable that is only used."""
    before = text[max(0, start - 120) : start]
    if before.endswith("$") or _IN_ADDRESS.search(before):
        return True
    return bool(_BLOB.search(before) or re.search(_OTHER_KEY, between))


_STAND_INS = (
    "example", "placeholder", "anonymous", "changeme", "change-me", "change_me", "your", "dummy",
    "xxxx", "***", "redacted", "insert", "replace", "sample", "{{", "00000000", "12345678-1234",
)  # fmt: skip
_PLACEHOLDER = (
    r"[<\[{(]"  # <your-key>, [redacted: …], {password}, [[a link]]
    # $TOKEN, ${TOKEN}, $ANSIBLE_VAULT;1.1, $(command), ${{ secrets.TOKEN }}
    r"|\$\{?[A-Za-z_][\w.]*\}?\Z|\$[A-Z]+_[A-Z]|\$\(|\$\{\{"
    r"|!(?i:vault|ref|sub|secret|env|include)\b"  # !vault |, !Ref Token
    r"|%[A-Za-z_]*%?\Z|%\(|@[A-Za-z_]+@\Z|:[a-z_]+\Z"
)
_CODE = (
    r"!?[A-Za-z_][\w.:]*[(\[{][\w.,:=(){}\[\]*-]*\Z|[\w.]+\)[.\[]"
    r"|(?:self|this|process|os|env|vars?)\."
)
_PHRASE = re.compile(r"[a-z]{3,12}(?:([- .])[a-z]{3,12})(?:\1[a-z]{3,12}){2,6}\Z")
_NO_PHRASE = frozenset((
    "the", "and", "for", "you", "your", "must", "not", "with", "this", "that", "has", "was", "are",
    "see", "use", "user", "name", "key", "secret", "password", "passwords", "token", "auth", "ref",
    "credentials", "enter", "please", "field", "required", "new", "old", "least", "empty", "policy",
    "app", "database", "admin", "from", "file", "vault", "where", "will", "should", "may", "can",
))  # fmt: skip
"""Words that sentences and names have, and a phrase that was drawn word by word has not."""
_CONSONANTS = r"(?i)[bcdfghjklmnpqrstvwxz]{5,}"
# `Ed25519PrivateKey`, `jwt.OAuth2Client`
_CLASS = (
    r"(?:[a-z]\w{0,20}\.){0,3}(?:[A-Z][a-z]{1,14}\d{0,5}|[A-Z]{1,4}[a-z]{1,14}\d{1,5}"
    r"|[A-Z]{1,6}\d{2,5}){2,}+\Z"
)
_PATH = re.compile(r"(?:[.~]{0,2}|[A-Za-z]:|[\w.:-]+)[/\\][\w./\\ :#-]*\Z")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}\Z")
_JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_DATED = re.compile(r"[\d.,:/TZ+_-]+\Z")
# Words and small numbers: `base64`, `RFC6750`, `k8s-secret-v1`, `two-factor`, `config.auth.key`.
_WORDS = (
    r"(?:(?:[A-Z]{0,8}[a-z]{0,14}|[A-Za-z]?[a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,3})\d{0,4}[A-Za-z]?"
    r"|\d{1,4}[A-Za-z]?)(?=[-_.:/+]|\Z)"
    r"(?:[-_.:/+](?:[A-Z]{0,14}[a-z]{0,14}|[A-Za-z]?[a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,3})\d{0,6}"
    r"[A-Za-z]?(?=[-_.:/+]|\Z))*+\Z"
)
_ALGORITHM = (
    r"(?i)(?:pbkdf|bcrypt|scrypt|argon|hmac|sha|md|aes|rsa|ecdsa|ed|oauth|base|utf|hs|rs|es|x|rfc|int"
    r"|uint|float|ascii|iso|totp|otp|2fa|mfa|p|k8s|v)[-_]?\d[\w-]{0,8}\Z"
)
_ABOUT = read_words("secrets", "words")["about"]
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_WORD_SYMBOLS = "-_./+=:~|"
_MARKS = frozenset("!#$%&*?@^~+=")
_CODE_MARKS = r"\w(?:==?|\+=|&&|\*\*|@)(?:(?![A-Za-z_])\w)*+[A-Za-z_]\w*+\Z|[\[\]{}]"
_TOKEN = re.compile(r"[A-Za-z0-9+/_-][A-Za-z0-9+/=_.~:-]*\Z")
_HASH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f-]{36}|[0-9A-F]{40})\Z")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_FINGERPRINT = re.compile(r"[0-9A-F]{40}\Z")

_SHORTEST_TOKEN = 10
_SHORTEST_PASSWORD = 6
_SHORTEST_STATED = 7
_SHORTEST_STRONG = 8
_LONG = 20
_UNIFORM = 2.2  # bits a character: below that it is a few signs over and over
_REPEATED = 1.9
_RANDOM = 2.9
_JOINTED = 0.15  # changes a character between small, capital and digit
_ODD = -0.04
_VOICED = 0.3  # vowels of words, a character
_CAMEL = re.compile(r"[a-z]*[A-Z]{0,5}(?:[A-Z][a-z]{2,})*(?:[A-Z][a-z]+)?[A-Z]{0,5}\Z")


def weigh_token(value: str, _before: str) -> int:
    """Weigh a value that has a prefix or a form of its own: only a placeholder is no secret."""
    return 0 if _stands_in(value) or _bits(value[-24:]) < _REPEATED else len(value)


def weigh_block(value: str, _before: str) -> int:
    """Weigh a value that its form shows to be a secret."""
    return len(value)


def weigh_pem(value: str, _before: str) -> int:
    """Weigh a private key by its first lines: code has its first and its last line alone."""
    return len(value) if has_key(value) else 0


def weigh_groups(value: str, _before: str) -> int:
    """Weigh four groups of four letters, which a sentence may have too."""
    return 0 if is_sentence(value) else len(value)


def weigh_url(value: str, before: str) -> int:
    """Weigh a password in a URL; the user's own name, or a word for where it goes, is none."""
    user = before.rpartition("://")[2].rstrip(":")
    plain = value.lower() in ("password", "passwd", "pass", "pwd", "secret", "token", "user", "pw")
    none = plain or value == user or _stands_in(value) or is_for_show(value)
    return 0 if none else len(value)


def weigh_keyed(value: str, before: str) -> int:
    """Weigh a token known by its key."""
    whole = _trim(value)
    value = _bare(whole)
    drawn = value.removeprefix("base64:")
    if len(value) < _SHORTEST_TOKEN or _names_another(before) or _is_plain(drawn):
        return 0
    if before and _UUID.match(value):
        return len(whole)
    if _bits(value) < _RANDOM or _is_named(value):
        return 0
    joined = value.replace(".", "") if len(value) >= _LONG and _has_digit(value) else value
    return len(whole) if _is_mixed(value) or is_scrambled(joined) else 0


def _is_named(value: str) -> bool:
    """Return whether a value is a name of code, or a name with its own value."""
    named = (
        is_argument(value) or is_wordy(value) or re.match(_WORDS, value) or re.match(_CLASS, value)
    )
    return bool(named)


def weigh_password(value: str, before: str) -> int:
    """Weigh a password known by its key: shorter than a token, and often a word and a number."""
    whole = _trim(value)
    value = _bare(whole)
    if len(value) < _SHORTEST_PASSWORD or _names_another(before):
        return 0
    if value.isdecimal():
        return len(whole) if len(set(value)) > 2 else 0
    if _PHRASE.match(value):
        return 0 if _NO_PHRASE.intersection(re.split("[- .]", value)) else len(whole)
    if _is_plain(value) or re.match(_ALGORITHM, value) or _bits(value) < _UNIFORM:
        return 0
    return len(whole) if _is_chosen(value) else 0


def _is_chosen(value: str) -> bool:
    """Return whether a value looks like no words of a text or of code."""
    mixed = _is_mixed(value) and not (re.match(_WORDS, value) and not value.isalnum())
    return mixed or is_scrambled(value) or _is_gibberish(value)


def _is_gibberish(value: str) -> bool:
    """Return whether letters were drawn: no word has so many consonants, nor such capitals."""
    if len(value) < _SHORTEST_TOKEN or not (value.isascii() and value.isalpha()):
        return False
    if _CAMEL.match(value) and not value.islower():
        return False
    vowels = sum(char in _VOWELS for char in value) / len(value)
    return (vowels < _VOICED and bool(re.search(_CONSONANTS, value))) or _oddness(value) > _ODD


def weigh_mixed(value: str, _before: str) -> int:
    """Weigh a value of known length near a key: both cases and digits, as no hash has."""
    mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
    return len(value) if mixed and is_scrambled(value) else 0


def weigh_env(value: str, _before: str) -> int:
    """Weigh a value of a variable called a key of anything: it must be random, and long."""
    kept = weigh_keyed(value, "") if len(value) >= _LONG else 0
    return kept if kept and is_scrambled(_trim(value).replace(".", "")) else 0


def weigh_strong(value: str) -> int:
    """Weigh a password known by a word near it: it must look like one by itself."""
    kept = weigh_password(value, "")
    if kept < _SHORTEST_STRONG or value.isdecimal() or re.match(_WORDS, _trim(value)):
        return kept if kept >= _LONG and is_scrambled(_trim(value)) else 0
    value = value[:kept]
    marked = any(char in _MARKS for char in value) and not re.search(_CODE_MARKS, value)
    digits = sum(char.isdecimal() for char in value)
    cased = any(map(str.isupper, value)) and any(map(str.islower, value))
    return kept if digits and (marked or (cased and digits > 1)) else 0


def weigh_outcome(value: str, _before: str) -> int:
    """Weigh what stands behind "PASS:": the name of a test, unless it looks like a password."""
    return 0 if "/" in value or is_wordy(value) else weigh_strong(value)


def weigh_told(rule: str, value: str) -> int:
    """Weigh a word before its name: a password with some digits or a mark, or a token."""
    if rule == "keyed":
        return weigh_keyed(value, "") if _TOKEN.match(_trim(value)) else 0
    kept = weigh_password(value, "") if len(value) >= _SHORTEST_STATED else 0
    odd = sum(not char.isalpha() and char not in _WORD_SYMBOLS for char in value[:kept])
    drawn = odd > 1 or (odd and is_scrambled(value[:kept]))
    return kept if drawn and not value.isdecimal() else 0


def weigh_pair(value: str, _before: str) -> int:
    """Weigh a password behind the name of a user."""
    return weigh_told("password", value)


def _is_said(value: str, between: str) -> bool:
    """Return whether a word of a sentence is one by itself, whatever it stands behind: a plain
    word, an argument, a fingerprint, a program on a line of its own."""
    plain = value.isalpha() and len(value) < _LONG
    if plain or is_argument(value) or _FINGERPRINT.match(value):
        return True
    return "\n" in between and is_command(value)


def weigh_near(rule: str, value: str, is_linked: Callable[[str], bool], between: str) -> int:
    """Weigh a word of a sentence behind a name. If it is linked to the name, it need not look like
    more than a password, or token; else it must by itself."""
    value = _trim(value)
    if _is_said(value, between):
        return 0
    if rule == "keyed":
        kept = weigh_keyed(value, "") if _TOKEN.match(value) else 0
        drawn = is_scrambled(value) and not _HASH.match(value)
        return kept if drawn or is_linked(between) else 0
    if strong := weigh_strong(value):
        return strong
    kept = weigh_password(value, "") if len(value) >= _SHORTEST_STATED else 0
    return kept if kept and is_linked(between) else 0


WEIGHTS: dict[str, Callable[[str, str], int]] = {
    "block": weigh_block,
    "pem": weigh_pem,
    "groups": weigh_groups,
    "outcome": weigh_outcome,
    "token": weigh_token,
    "url": weigh_url,
    "keyed": weigh_keyed,
    "password": weigh_password,
    "mixed": weigh_mixed,
    "env": weigh_env,
    "pair": weigh_pair,
}


def _stands_in(value: str) -> bool:
    lowered = value.lower()
    cut = value.startswith("...") or value.endswith(("...", "…"))
    if cut or re.match(_PLACEHOLDER, value):
        return True
    # Of drawn letters some may spell a word.
    drawn = len(value) > _LONG and len(_JOINTS.findall(value)) >= _JOINTED * len(value)
    return not drawn and any(word in lowered for word in _STAND_INS)


def _is_plain(value: str) -> bool:
    """Return whether a value is a placeholder, code, a path, a URL, a date or a sentence."""
    return bool(
        _stands_in(value)
        or (is_code(value) and not _is_jumbled(value))
        or any(char.isspace() for char in value.replace("%20", " "))
        or value.count(":") > 3
        or "://" in value
        or (re.match(_CODE, value) and not _is_jumbled(value))
        or (_PATH.match(value) and not is_scrambled(value))
        or _DATED.match(value)
    )


def _is_jumbled(value: str) -> bool:
    size = sum(map(str.isalnum, value))
    return size >= _SHORTEST_TOKEN and len(_JOINTS.findall(value)) >= 0.25 * size


def _is_mixed(value: str) -> bool:
    """Return whether a value has letters and a sign that words and their joints don't have."""
    letters = any(char.isalpha() for char in value)
    others = any(not char.isalpha() and char not in _WORD_SYMBOLS for char in value)
    return letters and others


def _names_another(before: str) -> bool:
    """Return whether the key in front is one about a secret: `token_id`, `passwordPolicy`."""
    parts = [part for part in _PARTS.split(before) if part]
    return bool(parts) and parts[-1].lower() in _ABOUT


def _has_digit(value: str) -> bool:
    return any(map(str.isdecimal, value))


def _trim(value: str) -> str:
    return cut_end(value).rstrip(".,;:)]}*")


def _bare(value: str) -> str:
    """Return a value without quotes that stand within others."""
    quoted = value[:1] in ("'", '"') and value[:1] == value[-1:]
    return value[1:-1] if quoted else value


def is_scrambled(value: str) -> bool:
    """Return whether a value of letters, digits and the signs of base64 changes between kinds of
    them as often as a drawn one, and no word, name or path does."""
    size = sum(map(str.isalnum, value))
    if not size or not _BASE64.match(value) or re.match(_CLASS, value):
        return False
    if _has_digit(value) and len(_JOINTS.findall(value)) >= _JOINTED * size:
        return True
    return _oddness(value) > _ODD


def _oddness(value: str) -> float:
    """Return how often the case changes within a word, beyond what vowels make a word: above -0.04
    for letters that were drawn, below for names of code."""
    if value.isupper() or value.islower():
        return -1.0
    size = sum(map(str.isalnum, value))
    capitals = sum(map(str.isupper, map(str.__add__, value, value[1:])))
    vowels = sum(char in _VOWELS for char in value)
    return (len(_JOINTS.findall(value)) + capitals - vowels) / size


def _bits(value: str) -> float:
    size = len(value)
    counts = [value.count(char) for char in set(value)]
    return -sum(count / size * log2(count / size) for count in counts)
