"""Terms of which one takes the place of another in what a note says of a thing (S4.9): of each
class the terms, and the other ways in which a term is written behind `|`. What is missing here is
only not understood."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.statements.kinds import KINDS

TERMS = """
encoding: utf-8|utf8, utf-16|utf16, utf-32, latin-1|latin1|iso-8859-1|iso 8859-1|iso latin 1,
    ascii, windows-1252|cp1252|cp-1252, code page 437|cp437, code page 850|cp850, ebcdic,
    shift-jis, big5
format: json, xml, yaml, csv, protobuf|protocol buffers, messagepack|msgpack, avro, parquet,
    thrift, toml, excel|xlsx, plain text, cbor, bson, tsv, ini, fixed width, edifact, pdf, html
currency: euro|eur|euros, dollar|usd|dollars|us dollars, pound|gbp|pounds|sterling,
    franc|chf|francs| swiss francs, yen|jpy, krona|kronor|sek, krone|kroner|dkk|nok, zloty|pln
zone: utc|gmt|universal time|zulu, local time|local times, central european time|cet|berlin
    time, eastern time|est, pacific time|pst, server time, swiss time, tokyo time
auth: oauth tokens|oauth|oauth2, api key|api keys, client certificate|client certificates|mtls|
    mutual tls, signed cookie|signed cookies|session cookies|cookies, basic auth|basic
    authentication, jwt|json web tokens, saml, ldap, kerberos, password|passwords, sso|single
    sign-on, passkeys, ip allowlist, shared secret, hmac
protocol: http, https, grpc, amqp, mqtt, websocket|websockets, graphql, soap, tcp, udp, ftp,
    sftp, rest, odata, polling, webhook|webhooks, long polling, server-sent events, file drop
ids: uuid|uuids, ulid|ulids, serial numbers|sequence, integers|integer, snowflake ids
level: debug, info, warn|warning|warnings, error|errors, trace
branch: main, master, develop, trunk, stable
merging: squash|squashing|squashed, rebase|rebasing|rebased, merge commit|merge commits,
    fast-forward| fast forward
indent: tab|tabs, two spaces, four spaces, eight spaces, spaces
channel: e-mail|email|mail|e-mails|emails, pager, slack, teams, phone, sms|text message,
    post|letter| paper, chat, fax, mattermost, discord, wiki, ticket|tickets, telegram, signal
secrets: vault|the vault|hashicorp vault, environment variables|env vars|environment variable,
    config file|configuration file|config files, keychain, secrets manager, kubernetes secrets,
    encrypted files
lead: spreadsheet|the spreadsheet, database|the database, erp, crm, wiki|the wiki, warehouse
provider: in-house|inhouse|internally|ourselves, agency|an agency, outsourced,
    contractor|contractors, freelancers|freelancer, vendor|the vendor
speech: english, german, french, spanish, portuguese, italian, dutch, polish, czech, swedish,
    danish, norwegian, finnish, russian, ukrainian, turkish, greek, chinese|mandarin, japanese,
    korean, hindi, arabic
style: camelcase|camel case, snake_case|snake case|snakecase, kebab-case|kebab case,
    pascalcase|pascal case
pace: synchronous|synchronously, asynchronous|asynchronously
hand: manual|manually|by hand, automatic|automatically|automated
shade: dark mode, light mode
reach: public|publicly, private|privately|internal only|only from inside|from inside|internally
logs: stdout|standard output, syslog, journald, log file|log files
paging: cursor|cursors|cursor-based, offset|offsets, page numbers|page number
hashing: md5, sha-1|sha1, sha-256|sha256, bcrypt, argon2, scrypt, blake2, crc32
packing: gzip, zstd|zstandard, brotli, lz4, snappy, zip, bzip2, uncompressed
deploytool: ansible, nomad, helm, argo cd|argocd, capistrano, fabric, flux, spinnaker, puppet,
    chef, salt, rundeck, octopus
os: freebsd, openbsd, alpine|alpine linux, rocky linux|rocky, red hat|rhel, centos, solaris,
    aix, amazon linux, suse|sles
plainui: plain html|html without a framework|static html|handwritten html, plain
    javascript|vanilla javascript
runner: nose, tox, ctest, googletest|gtest, behave, robot framework, phpunit, ava, tap
order: ascending|oldest first, descending|newest first
need: required|mandatory|compulsory|obligatory, optional|voluntary
leave: allowed|permitted|allow, forbidden|prohibited|banned|not allowed|disallowed
pass: hard delete|for good|permanently|physically|at once|immediately|hard-deleted|irrevocably,
    soft delete|soft-deleted|only marked|marked as deleted|marked|flagged|logically|softly
stage: alpha, beta|in beta|beta test, production|in production|generally available|live|in live
    operation, deprecated, frozen|feature freeze|code freeze, experimental|a
    prototype|prototype, retired|switched off|decommissioned|shut down|end of life, under
    development|in development|being built, maintenance mode|maintenance only
"""


@lru_cache(maxsize=1)
def read_terms() -> dict[str, tuple[tuple[str, str], ...]]:
    """By a term in lower case what it may be, as (class, term)."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for table, sign in ((TERMS, ""), (KINDS, "tool:")):
        for row in re.split(r"\n(?=\w)", table.strip()):
            kind, _, terms = row.partition(":")
            for term in " ".join(terms.split()).split(", "):
                first, *others = (form.strip().lstrip("!") for form in term.split("|"))
                for form in (first, *others):
                    if form:
                        key = form.lower()
                        found[key] = (*found.get(key, ()), (sign + kind, first.lower()))
    return found


@lru_cache(maxsize=1)
def first_words() -> frozenset[str]:
    """With which words terms begin."""
    return frozenset(term.partition(" ")[0] for term in read_terms())


MOST_WORDS = 3
"""Words of a term."""

PROPER = frozenset(
    ("make", "go", "rust", "swift", "dart", "rails", "spring", "gin", "fly", "render", "remix",
     "react", "parcel", "poetry", "pip", "uv", "teams", "signal", "linear", "shortcut", "pivotal",
     "sublime", "helix", "zed", "cursor", "atom", "eclipse", "rider", "safari", "edge", "brave",
     "opera", "arc", "pixel", "galaxy", "golf", "polo", "civic", "ford", "focus", "fiesta", "zoe",
     "leaf", "micra", "mini", "amplitude", "segment", "plausible", "stripe", "square", "mollie",
     "notion", "roam", "intercom", "clerk", "apache", "karma", "cypress", "puppeteer", "sketch",
     "chef", "puppet", "rest", "soap", "starling", "mac", "android", "elastic", "oracle", "seat",
     "mocha", "jest", "spock", "accord", "node", "zoom", "bun", "vite", "sphinx", "railway",
     "colo", "maven", "drone", "fabric", "flux", "salt", "octopus", "nomad", "snowflake", "perl",
     "astro", "ember.js", "express.js", "telegram", "honeycomb", "charm", "basic auth")
)  # fmt: skip
"""Terms that are words besides: only those written like a name are meant."""
