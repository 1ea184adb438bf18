"""The rules of `model.secrets`, those that say most first.

The shapes are those that gitleaks (MIT, github.com/gitleaks/gitleaks) and detect-secrets (Apache
2.0, github.com/Yelp/detect-secrets) publish and the vendors document. Lengths are lower bounds,
since vendors lengthen their tokens.
"""

from __future__ import annotations

from engrain.model.secret_rule import MAX_VALUE, Rule
from engrain.model.secret_tokens import NEW, NEW_WORD, TOKENS, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Key, mark, value: the marks of JSON, YAML, environment files, tables and markdown around them.
_MARK = (
    r"""(?:[ \t"'`*\\\])]{0,4}+(?:=>|:=|==?|::?|\||value=)[ \t*\\]{0,4}+"""
    r"""|["'],[ \t]{0,2}+(?=["']))"""  # f("token", "…")
)
_VALUE = (
    rf'(?:[bru]?"([^"\n\\]{{4,{MAX_VALUE}}}+)'
    rf"|[bru]?'([^'\n\\]{{4,{MAX_VALUE}}}+)"
    rf"|`([^`\n]{{4,{MAX_VALUE}}}+)"
    rf"""|([^\s"'`<>|,;\\]{{4,{MAX_VALUE}}}+))"""
)
_TAIL = r"s?(?![a-z])[\w.-]{0,60}+"  # `PASSWORD_STAGING`, `token.prod`, and no `tokenizer`
_PASSWORD = r"(?i:passw(?:or)?d|passwort|passphrase|(?<![a-z])(?:pass|pw)|pwd)"
_KEYS = (
    "api|access|auth|account|encryption|signing|license|master|session|service|shared|client"
    "|deploy|private"
)
_SECRET = rf"(?i:secret|token|credential|(?<![a-z])_auth|(?<![a-z])creds?|(?:{_KEYS})[ _.-]?key)"
_SECRETS = f"secret|token|cred|_auth|{_KEYS}"
_NAMED = r"(?i:password|passwort|passphrase|pwd|api[ -]?key|access key|secret(?: key)?|token)"
_WHOSE = r"(?: (?:for|of|to|on|in)(?: [^\s,;]{1,40}+){1,4}?)?"
_CHANGED = r"(?: (?:now|changed|set|reset|rotated)(?: to)?)?"
_OF = r"(?: (?:for|of|on|in)(?: [\w.-]{1,40}+){1,3}+| \([^)\n]{1,40}+\))?+"
_BASE64 = "[A-Za-z0-9/+]"
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
    Rule("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    Rule("jwt", "eyj", rf"{NEW_WORD}eyJ{WORD}{{10,}}+\.eyJ{WORD}{{10,}}+\.{WORD}{{10,}}+"),
    Rule(
        "aws-secret-key",
        "aws|akia|asia",
        rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s:,/|\"']{{1,5}}+({_BASE64}{{40}})(?![A-Za-z0-9/+=])"
        rf"|(?<![A-Za-z])(?i:aws)[\w.-]{{0,40}}+{_MARK}[\"'`]?({_BASE64}{{40}})(?![A-Za-z0-9/+=])",
        "block",  # the documentation's own example too: nobody misses it
    ),
    Rule(
        "aws-access-key",
        "akia|asia|abia|acca|a3t",
        rf"{NEW}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{{16}}(?![A-Za-z0-9])",
        "block",
    ),
    Rule("gcp-api-key", "aiza", rf"{NEW}AIza{WORD}{{35,}}+"),
    Rule("gcp-oauth", "gocspx-|ya29.", rf"{NEW}(?:GOCSPX-{WORD}{{28,}}+|ya29\.{WORD}{{30,}}+)"),
    Rule("azure-ad-secret", "q~", r"(?<![\w.~-])[\w.~]{3}\dQ~[\w.~-]{31,}+", anchored=False),
    Rule(
        "azure-key",
        "accountkey|sharedaccesskey|?sig=|&sig=",
        rf"(?i:AccountKey|SharedAccessKey)=({_BASE64}{{40,}}+={{0,2}})"
        r"|[?&]sig=([A-Za-z0-9%/+]{40,}+(?:%3D|=){0,2})",
    ),
    *TOKENS,
    Rule("url-password", "://", r"""://[^\s/:@"'<>?#`]{0,64}:([^\s/"'<>`\[]{1,128})@""", "url"),
    Rule(
        "authorization",
        "bearer|basic|authorization",
        r"(?i:\b(?:bearer|basic))[ \t]{1,4}+([A-Za-z0-9+/=._~-]{16,512}+)"
        r"""|(?i:authorization)[ \t"'=:]{1,6}+(?i:(?:basic|token|apikey)[ \t]{1,4}+)?"""
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
    Rule("password", "pass|pwd|pw", rf"{_PASSWORD}{_TAIL}{_OF}{_MARK}{_VALUE}", "password"),
    Rule("secret", _SECRETS, rf"{_SECRET}{_TAIL}{_OF}{_MARK}{_VALUE}", "keyed"),
    Rule(
        "password",
        "sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd",
        r"\b(?:sshpass|redis-cli|mysql|mariadb|ldap|docker login|sqlcmd)\w*[^\n]{0,80}?"
        r"[ \t]-[apwP][ \t]?"
        rf"(?!-){_VALUE}",
        "password",
    ),
    Rule(
        "password",
        "env ",
        rf"(?<!\w)ENV \w{{0,40}}{_PASSWORD}\w{{0,40}}+ {_VALUE}",
        "password",
    ),
    Rule("secret", "env ", rf"(?<!\w)ENV \w{{0,40}}{_SECRET}\w{{0,40}}+ {_VALUE}", "keyed"),
    Rule(
        "secret",
        "cookie",
        rf"(?i:cookie)[ \t]*:[ \t]*[\w.-]{{1,60}}=([^\s;\"']{{20,{MAX_VALUE}}}+)",
        "keyed",
    ),
    Rule(
        "password",
        "--pass|--pwd",
        rf"(?<![\w-])--(?:password|passwd|passphrase|pass|pwd)[ \t]{{1,4}}+{_VALUE}",
        "password",
    ),
    Rule(
        "secret",
        "--",
        rf"(?<![\w-])--(?:[a-z]{{1,20}}-)?(?:token|secret|key)[ \t]{{1,4}}+{_VALUE}",
        "keyed",
    ),
    Rule(
        "secret",
        "passw|passphrase|pwd|api|access|secret|token",
        rf"(?<![A-Za-z]){_NAMED}{_WHOSE} (?:is|was|ist|lautet){_CHANGED}:?[ ]{{1,2}}+{_VALUE}",
        "stated",
    ),
)


def _find_keywords(rules: Iterable[Rule]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found: dict[str, list[int]] = {}
    for rule in rules:
        for keyword in rule.keywords:
            found.setdefault(keyword, []).append(RULES.index(rule))
    return tuple((keyword, tuple(places)) for keyword, places in found.items())


SHORTEST_WORD = 20
"""Characters without a space between that every token has, with what it stands against."""
IN_WORDS = _find_keywords(rule for rule in RULES if rule.weigh == "token")
IN_TEXT = _find_keywords(rule for rule in RULES if rule.weigh != "token")
"""Each keyword with the places of its rules in the table: of those for tokens, which a text of
short words need not be searched for, and of the others."""
