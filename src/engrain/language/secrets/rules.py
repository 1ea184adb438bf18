"""The rules of `model.secrets`, those that say most first.

The shapes are those that gitleaks (MIT, github.com/gitleaks/gitleaks) and detect-secrets (Apache
2.0, github.com/Yelp/detect-secrets) publish and the vendors document. Lengths are lower bounds,
since vendors lengthen their tokens.
"""

from __future__ import annotations

from engrain.language.secrets.languages import PASSWORDS, SECRETS, joined, openings
from engrain.language.secrets.rule import MAX_VALUE, NAMED, SEARCH, Rule
from engrain.language.secrets.sentences import MARK, VALUE, WORD
from engrain.language.secrets.tokens import NEW, TOKENS
from engrain.language.text.patterns import late

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
    Rule(
        "private-key",
        "-----begin",
        # Up to the next row of dashes; where a paste was cut short, the lines that are base64.
        rf"{_PEM}(?:[^-]++|-(?!----))*+-----END[ A-Z0-9]{{0,40}}PRIVATE KEY(?: BLOCK)?-----"
        rf"|{_PEM}(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{{16,}}+)*+",
        "block",
    ),
    Rule(
        "aws-secret-key",
        "aws|akia|asia",
        rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s:,/|\"']{{1,5}}+{_AWS}"
        rf"|(?<![A-Za-z])(?i:aws)[\w.-]{{0,40}}+{MARK}[\"'`]?{_AWS}",
        "block",  # the documentation's own example too: nobody misses it
    ),
    Rule(
        "aws-secret-key",
        "akia|asia|secretaccesskey|secret access key|secret_access_key",
        # What `aws iam create-access-key` prints: as JSON, as text, as a table, as CSV.
        rf"(?:(?:AKIA|ASIA)[A-Z0-9]{{16}}|(?i:secret[ _]?access[ _]?key)){_BASE64}{{0}}"
        rf"[\s\S]{{1,160}}?(?<![A-Za-z0-9/+]){_AWS}",
        "mixed",
    ),
    *TOKENS,
    Rule("url-password", "://", r"""://[^\s/:@"'<>?#`]{0,64}:([^\s/"'<>`\[]{1,128})@""", "url"),
    Rule(
        "authorization",
        "bearer|basic|authorization",
        rf"{NEW}(?i:bearer|basic)(?:[ \t]|%20|\+){{1,4}}+([A-Za-z0-9+/=._~-]{{16,512}}+)"
        r"""|(?i:authorization)[ \t"'=:\\]{1,6}+(?i:(?:basic|token|apikey)[ \t]{1,4}+)?"""
        r"([A-Za-z0-9+/=._~-]{16,512}+)",
        "keyed",
    ),
    Rule(
        "password",
        "curl|wget|login",
        r"\b(?:curl|wget)\b[^\n]{0,120}?[ \t](?:-u|--user)[ =]"
        r"""["']?[^\s:"']{1,64}:([^\s"']{4,128})"""
        r"|\blogin[ \t]+[^\s]{1,64}+\s{1,4}+password[ \t]+([^\s]{4,128}+)",
        "password",
    ),
    Rule("password", "pass|pwd|pw|psk|requirepass|masterauth|storepass|keypass",
         _PASSWORD, "password", NAMED),
    Rule(
        "password",
        "app password|app-password|app passwort|password|application-specific",
        # Sixteen letters in four groups, as Google gives them out.
        r"(?i:password|passwort)s?[^\n:=]{0,24}[:=]?[ \t]?[\"'`]?"
        r"([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?![ \w])",
        "block",
    ),
    Rule("secret", "secret|token|cred|auth|key|bearer", _SECRET, "keyed", NAMED),
    Rule(
        "secret",
        "_key",
        r"(?<![Cc]ache)(?<!CACHE)(?<!primary)(?<!PRIMARY)(?<!foreign)(?<!FOREIGN)(?<!public)"
        rf"(?<!PUBLIC)(?<!sort)(?<!SORT)(?i:_key)[ \t]?=[ \t]?{VALUE}",
        "env",
    ),
    Rule(
        "password",
        "sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd|unzip|7z |smbclient|ipmitool",
        r"\b(?:sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd|unzip|7z|smbclient"
        r"|ipmitool)\w*[^\n]{0,80}?[ \t]-[apwP][ \t]?"
        rf"(?!-){VALUE}",
        "password",
    ),
    Rule(
        "password",
        "identified by|with password|securestring|net user|auth=|auth =|sudo -s",
        r"(?i:identified (?:with \w{1,40} )?by|with (?:encrypted )?password)[ \t]{1,4}+"
        rf"{VALUE}|(?i:securestring)[ \t]{{1,4}}+(?:-String )?{VALUE}"
        r"|(?i:net user) \S{1,40} ([^\s/]{6,64})|sudo -S <<< ?[\"']?([^\s\"']{4,64})"
        r"|auth ?= ?\([\"'][^\"'\n]{1,60}[\"'], ?[\"']([^\"'\n]{4,128})",
        "password",
    ),
    Rule(
        "password",
        "sudo -s|--password-stdin|chpasswd|--stdin|-passwordstdin",
        r"(?:echo|printf)(?: -n)?[ \t]{1,3}[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|]{4,128})"
        r"[\"']?[ \t]{0,3}\|[ \t]{0,3}(?:sudo|docker|podman|helm|chpasswd|passwd|gh|npm)\b",
        "password",
        form=SEARCH,
    ),
    Rule(
        "secret",
        "cookie",
        rf"(?i:cookie)[ \t]*:[ \t]*[\w.-]{{1,60}}=([^\s;\"']{{20,{MAX_VALUE}}}+)",
        "keyed",
    ),
    Rule(
        "password",
        "--pass|--pwd|-storepass|-keypass|requirepass|masterauth",
        r"(?:(?<![\w-])--?(?:password|passwd|passphrase|pass|pwd|storepass|keypass)"
        rf"|requirepass|masterauth)[ \t]{{1,4}}+{VALUE}",
        "password",
    ),
    Rule(
        "secret",
        "--",
        rf"(?<![\w-])--(?:[a-z]{{1,20}}-){{0,3}}(?:token|secret|key)[ \t]{{1,4}}+{VALUE}",
        "keyed",
    ),
    Rule(
        "password",
        "cred|login|log in|logged in|zugangsdaten|identifiants|credenziali|логин|доступ",
        r"(?i:cred(?:s|entials|enciales|enziali)?|log(?:in|ged in| in)s?|zugangsdaten|identifiants"
        r"|логин|доступ)(?!\w)[^\n]{0,32}?[\s:=(][\w.@-]{2,40}(?: ?/ ?|:)"
        rf"({WORD}{{6,64}})",
        "pair",
    ),
    Rule("password", openings(PASSWORDS), rf"(?i:{joined(PASSWORDS)})", "password", NAMED),
    Rule("secret", openings(SECRETS), rf"(?i:{joined(SECRETS)})", "keyed", NAMED),
)  # fmt: skip


def _find_keywords(*, tokens: bool) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found: dict[str, list[int]] = {}
    for order, rule in enumerate(RULES):
        if (rule.weigh == "token") == tokens:
            for keyword in rule.keywords:
                found.setdefault(keyword, []).append(order)
    return tuple((keyword, tuple(orders)) for keyword, orders in found.items())


LONG_WORD = late(r"\S{20,}")
"""Every token stands in one, with what it stands against."""
IN_WORDS = _find_keywords(tokens=True)
IN_TEXT = [found for found in _find_keywords(tokens=False) if found[0].isascii()]
IN_OTHER_LETTERS = [found for found in _find_keywords(tokens=False) if not found[0].isascii()]
"""Each keyword with the places of its rules in the table: of those for tokens, which a text of
short words need not be searched for, of the others, and of those that have letters beyond ASCII."""
