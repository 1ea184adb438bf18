"""The rules of `model.secrets`, those that say most first.

The shapes are those that gitleaks (MIT, github.com/gitleaks/gitleaks) and detect-secrets (Apache
2.0, github.com/Yelp/detect-secrets) publish and the vendors document. Lengths are lower bounds,
since vendors lengthen their tokens.
"""

from __future__ import annotations

from engrain.model.secret_tokens import NEW, NEW_WORD, TOKENS, WORD
from engrain.model.secrets import MAX_VALUE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Key, mark, value: the marks of JSON, YAML, environment files, tables and markdown around them.
_MARK = r"""[ \t"'`*\\]{0,4}+(?:=>|:=|==?|:|\|)[ \t*\\]{0,4}+"""
_VALUE = (
    rf'(?:"([^"\n\\]{{4,{MAX_VALUE}}}+)'
    rf"|'([^'\n\\]{{4,{MAX_VALUE}}}+)"
    rf"|`([^`\n]{{4,{MAX_VALUE}}}+)"
    rf"""|([^\s"'`<>|,;\\]{{4,{MAX_VALUE}}}+))"""
)
_TAIL = r"s?(?![a-z])[\w.-]{0,60}+"  # `PASSWORD_STAGING`, `token.prod`, and no `tokenizer`
_PASSWORD = r"(?i:passw(?:or)?d|passwort|passphrase|(?<![a-z])pass|pwd)"
_KEYS = (
    "api|access|auth|account|encryption|signing|license|master|session|service|shared|client"
    "|deploy|private"
)
_SECRET = rf"(?i:secret|token|credential|(?<![a-z])creds?|(?:{_KEYS})[ _.-]?key)"
_SECRETS = f"secret|token|cred|{_KEYS}"
_NAMED = r"(?i:password|passwort|passphrase|pwd|api[ -]?key|access key|secret(?: key)?|token)"
_WHOSE = r"(?: (?:for|of|to|on|in)(?: [^\s,;]{1,40}+){1,4}?)?"
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
    ),
    Rule(
        "aws-access-key",
        "akia|asia|abia|acca|a3t",
        rf"{NEW}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{{16}}(?![A-Za-z0-9])",
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
        "bearer|authorization",
        r"(?i:\bbearer)[ \t]{1,4}+([A-Za-z0-9+/=._~-]{16,512}+)"
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
    Rule("password", "pass|pwd", rf"{_PASSWORD}{_TAIL}{_MARK}{_VALUE}", "password"),
    Rule("secret", _SECRETS, rf"{_SECRET}{_TAIL}{_MARK}{_VALUE}", "keyed"),
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
        rf"(?<![A-Za-z]){_NAMED}{_WHOSE} (?:is|was|ist|lautet)(?: now)?:?[ ]{{1,2}}+{_VALUE}",
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
