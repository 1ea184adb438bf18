"""The rules of `finding`, those that say most first.

The tokens of vendors are rows of `lexicons/tokens.table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engrain.language.lexicons import read_table
from engrain.language.secrets.sentences import (
    AT,
    MARK,
    MAX_VALUE,
    NAMED,
    PASSWORDS,
    SEARCH,
    SECRETS,
    VALUE,
    WORD,
    Rule,
    joined,
    openings,
)

_ESCAPES = (
    r"\\[nrtbfv0]", r"\\u[0-9A-Fa-f]{4}", r"\\x[0-9A-Fa-f]{2}", r"%[0-9A-Fa-f]{2}",
    r"%25[0-9A-Fa-f]{2}", r"=[0-9A-F]{2}", r"\[[mK]", r"\[\dm", r"\[\d\dm", r";\dm", r";\d\dm",
    r";\d\d\dm",
)  # fmt: skip
"""Written forms of a character, whose last letter is no part of the word behind it: a new line in
JSON, a blank in a URL, an equals sign in a mail, a colour of a terminal."""
NEW = f"(?:(?<![A-Za-z0-9])|{'|'.join(f'(?<={written})' for written in _ESCAPES)})"
"""A token begins here: what stands before is none of it."""
NEW_ONE = f"(?:(?<![A-Za-z0-9].)|{'|'.join(f'(?<={written}.)' for written in _ESCAPES)})"
"""The same behind its first character, for patterns that are searched for: that is quicker."""
_FRAGMENTS = {"{NEW}": NEW, "{NEW_ONE}": NEW_ONE, "{ALNUM}": "[A-Za-z0-9]", "{SAFE}": r"[\w-]"}


def _read_tokens() -> Iterator[Rule]:
    table = read_table("tokens").replace("\n    ", "\t")
    for name, fragment in _FRAGMENTS.items():
        table = table.replace(name, fragment)
    for row in table.split("\n"):
        first, *rest = row.split("\t")
        named, keywords, *begun = first.split(" ", 2)
        pattern = "".join((*begun, *rest))
        name, _, how = named.partition("/")
        weigh, form = how if how == "block" else "token", SEARCH if how == "search" else AT
        yield Rule(name, keywords, pattern, weigh, form)


TOKENS = tuple(_read_tokens())
_PASSWORD = (
    r"(?i:passw(?:or)?d|passwort|passphrase|passcode|requirepass|masterauth|storepass|keypass"
    r"|pwd|(?<![a-z])(?:pass|pw|psk)|(?-i:(?<=[a-z])(?:Pass|Pw|Psk)(?![a-z])))"
)
_KEYS = (
    # What a key is one of, by the length of the word: a look back needs to know that.
    "api|bot|app", "auth|root", "admin", "access|master|shared|client|deploy|ingest|secret",
    "account|signing|license|session|service|private|storage|webhook",
    "consumer", "preshared", "encryption|publishing", "application|integration", "subscription",
)  # fmt: skip
_KEY = f"(?:{'|'.join(f'(?<={words})|(?<=(?:{words})[ _.-])' for words in _KEYS)})key"
_SECRET = (
    r"(?i:secret|token|bearer|credential|(?<![a-z])creds?|(?<=_)auth|(?<![a-z])auth(?=\\?[\"'])"
    rf"|{_KEY})"
)
_BASE64 = "[A-Za-z0-9/+]"
_AWS = rf"({_BASE64}{{40}})(?![A-Za-z0-9/+=])"
_PEM = r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"

RULES = (
    Rule("private-key", "-----begin",
        # Up to the next row of dashes; where a paste was cut short, the lines that are base64.
        rf"{_PEM}(?:[^-]++|-(?!----))*+-----END[ A-Z0-9]{{0,40}}PRIVATE KEY(?: BLOCK)?-----"
        rf"|{_PEM}(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{{16,}}+)*+", "pem"),
    Rule("aws-secret-key", "aws|akia|asia",
        # The documentation's own example is one too: nobody misses it.
        rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s:,/|\"']{{1,5}}+{_AWS}"
        rf"|(?<![A-Za-z])(?i:aws)[\w.-]{{0,40}}+{MARK}[\"'`]?{_AWS}", "block"),
    Rule("aws-secret-key", "akia|asia|secretaccesskey|secret access key|secret_access_key",
        # What `aws iam create-access-key` prints: as JSON, as text, as a table, as CSV.
        rf"(?:(?:AKIA|ASIA)[A-Z0-9]{{16}}|(?i:secret[ _]?access[ _]?key)){_BASE64}{{0}}"
        rf"[\s\S]{{1,160}}?(?<![A-Za-z0-9/+]){_AWS}", "mixed"),
    *TOKENS,
    Rule("url-password", "://", r"""://[^\s/:@"'<>?#`]{0,64}:([^\s/"'<>`\[]{1,128})@""", "url"),
    Rule("authorization", "bearer|basic|authorization",
        rf"{NEW}(?i:bearer|basic)(?:[ \t]|%20|\+){{1,4}}+([A-Za-z0-9+/=._~-]{{16,512}}+)"
        r"""|(?i:authorization)[ \t"'=:\\]{1,6}+(?i:(?:basic|token|apikey)[ \t]{1,4}+)?"""
        r"([A-Za-z0-9+/=._~-]{16,512}+)", "keyed"),
    Rule("password", "curl|wget|login",
        r"\b(?:curl|wget)\b[^\n]{0,120}?[ \t](?:-u|--user)[ =]"
        r"""["']?[^\s:"']{1,64}:([^\s"']{4,128})"""
        r"|\blogin[ \t]+[^\s]{1,64}+\s{1,4}+password[ \t]+([^\s]{4,128}+)", "password"),
    Rule("password", "pass|pwd|pw|psk|requirepass|masterauth|storepass|keypass",
         _PASSWORD, "password", NAMED),
    Rule("password", "app password|app-password|app passwort|password|application-specific",
        # Sixteen letters in four groups, as Google gives them out.
        r"(?i:password|passwort)s?[^\n:=]{0,24}[:=]?[ \t]?[\"'`]?"
        r"(?<![a-z])([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?![ \w])", "groups"),
    Rule("secret", "secret|token|cred|auth|key|bearer", _SECRET, "keyed", NAMED),
    Rule("secret", "_key",
        r"(?<![Cc]ache)(?<!CACHE)(?<!primary)(?<!PRIMARY)(?<!foreign)(?<!FOREIGN)(?<!public)"
        rf"(?<!PUBLIC)(?<!sort)(?<!SORT)(?i:_key)[ \t]?=[ \t]?{VALUE}", "env"),
    Rule(
        "password",
        "sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd|unzip|7z |smbclient|ipmitool",
        r"\b(?:sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd|unzip|7z|smbclient"
        r"|ipmitool)\w*[^\n]{0,80}?[ \t]-[apwP][ \t]?"
        rf"(?!-){VALUE}", "password"),
    Rule("password", "identified by|with password|securestring|net user|auth=|auth =|sudo -s",
        r"(?i:identified (?:with \w{1,40} )?by|with (?:encrypted )?password)[ \t]{1,4}+"
        rf"{VALUE}|(?i:securestring)[ \t]{{1,4}}+(?:-String )?{VALUE}"
        r"|(?i:net user) \S{1,40} ([^\s/]{6,64})|sudo -S <<< ?[\"']?([^\s\"']{4,64})"
        r"|auth ?= ?\([\"'][^\"'\n]{1,60}[\"'], ?[\"']([^\"'\n]{4,128})", "password"),
    Rule("password", "sudo -s|--password-stdin|chpasswd|--stdin|-passwordstdin",
        r"(?:echo|printf)(?: -n)?[ \t]{1,3}[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|]{4,128})"
        r"[\"']?[ \t]{0,3}\|[ \t]{0,3}(?:sudo|docker|podman|helm|chpasswd|passwd|gh|npm)\b",
        "password", form=SEARCH,
    ),
    Rule("secret", "cookie",
        rf"(?i:cookie)[ \t]*:[ \t]*[\w.-]{{1,60}}=([^\s;\"']{{20,{MAX_VALUE}}}+)", "keyed"),
    Rule("password", "--pass|--pwd|-storepass|-keypass|requirepass|masterauth",
        r"(?:(?<![\w-])--?(?:password|passwd|passphrase|pass|pwd|storepass|keypass)"
        rf"|requirepass|masterauth)[ \t]{{1,4}}+{VALUE}", "password"),
    Rule("secret", "--",
        rf"(?<![\w-])--(?:[a-z]{{1,20}}-){{0,3}}(?:token|secret|key)[ \t]{{1,4}}+{VALUE}", "keyed"),
    Rule(
        "password",
        "cred|login|log in|logged in|zugangsdaten|identifiants|credenziali|логин|доступ",
        r"(?i:cred(?:s|entials|enciales|enziali)?|log(?:in|ged in| in)s?|zugangsdaten|identifiants"
        r"|логин|доступ)(?!\w)[^\n]{0,32}?[\s:=(][\w.@-]{2,40}(?: ?/ ?|:)"
        rf"({WORD}{{6,64}})", "pair"),
    Rule("password", openings(PASSWORDS), rf"(?i:{joined(PASSWORDS)})", "password", NAMED),
    Rule("secret", openings(SECRETS), rf"(?i:{joined(SECRETS)})", "keyed", NAMED),
)  # fmt: skip


def _find_keywords(*, tokens: bool) -> list[tuple[str, tuple[int, ...]]]:
    found: dict[str, tuple[int, ...]] = {}
    for order, rule in enumerate(RULES):
        if (rule.weigh == "token") == tokens:
            for keyword in rule.keywords:
                found[keyword] = (*found.get(keyword, ()), order)
    return list(found.items())


def _sort(found: Iterable[Any]) -> dict[str, list[Any]]:
    """Return keywords by their first two characters."""
    beginnings: dict[str, list[Any]] = {}
    for one in found:
        beginnings.setdefault(one[-2][:2], []).append(one)
    return beginnings


LONG_WORD = 20
"""Characters of the words from which on one may have a token: every token stands in one, with what
it stands against."""
IN_WORDS: dict[str, list[tuple[str, tuple[int, ...]]]] = _sort(_find_keywords(tokens=True))
_OTHERS = _find_keywords(tokens=False)
IN_TEXT: dict[str, list[tuple[str, str, tuple[int, ...]]]] = _sort(
    (keyword, max(keyword.split(), key=len), orders)
    for keyword, orders in _OTHERS
    if keyword.isascii()
)
IN_OTHER_LETTERS = [found for found in _OTHERS if not found[0].isascii()]
"""Each keyword with the places of its rules in the table: of those for tokens, which a text of
short words need not be searched for, of the others, and of those that have letters beyond ASCII.
Those in `IN_TEXT` also have the longest part without a blank: some word of a text has it. The first
and the second are found by the first two characters of what a word has."""
