"""Secrets and decoys in sentences that people and agents write, made anew at each run from a seed,
so that nothing that looks real stands in a file."""

from __future__ import annotations

from base64 import b64encode
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from uuid import UUID

HEX = "0123456789abcdef"
ALNUM = ascii_letters + digits
URL64 = ALNUM + "-_"
PUNCTUATED = ALNUM + "!#$%&+?^~"

# Rule -> shapes of its secret: words as they stand, and (alphabet, length) to be drawn.
Shape = tuple[object, ...]
SHAPES: dict[str, list[Shape]] = {
    "age-key": [("AGE-SECRET-KEY-1", (ascii_uppercase + digits, 58))],
    "jwt": [("eyJ", (URL64, 33), ".eyJ", (URL64, 60), ".", (URL64, 43))],
    "aws-access-key": [("AKIA", (ascii_uppercase + "234567", 16)), ("ASIA", (ascii_uppercase, 16))],
    "gcp-api-key": [("AIza", (URL64, 35))],
    "gcp-oauth": [("GOCSPX-", (URL64, 28)), ("ya29.", (URL64, 120))],
    "azure-ad-secret": [((ALNUM, 3), "8Q~", (ALNUM + "_.~-", 34))],
    "github-token": [
        ("ghp_", (ALNUM, 36)), ("gho_", (ALNUM, 36)), ("ghs_", (ALNUM, 36)),
        ("github_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    ],
    "gitlab-token": [("glpat-", (URL64, 20)), ("glrt-", (URL64, 20)), ("gldt-", (URL64, 20))],
    "slack-token": [
        ("xoxb-", (digits, 12), "-", (digits, 12), "-", (ALNUM, 24)),
        ("xapp-1-A", (ALNUM, 10), "-", (digits, 13), "-", (HEX, 64)),
    ],
    "webhook": [
        ("https://hooks.slack.com/services/T", (ALNUM, 10), "/B", (ALNUM, 10), "/", (ALNUM, 24)),
        ("https://discord.com/api/webhooks/", (digits, 18), "/", (URL64, 68)),
    ],
    "stripe-key": [("sk_live_", (ALNUM, 24)), ("rk_test_", (ALNUM, 99)), ("whsec_", (ALNUM, 32))],
    "anthropic-key": [("sk-ant-api03-", (URL64, 93), "AA"), ("sk-ant-oat01-", (URL64, 93), "AA")],
    "openai-key": [
        ("sk-proj-", (URL64, 74), "T3BlbkFJ", (URL64, 74)),
        ("sk-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)),
    ],
    "huggingface-token": [("hf_", (ascii_letters, 34))],
    "model-api-key": [
        ("gsk_", (ALNUM, 52)), ("r8_", (ALNUM, 37)), ("xai-", (ALNUM, 80)), ("pplx-", (ALNUM, 48)),
        ("lsv2_pt_", (HEX, 32), "_", (HEX, 10)), ("nvapi-", (URL64, 64)),
    ],
    "npm-token": [("npm_", (ALNUM, 36))],
    "pypi-token": [("pypi-AgEIcHlwaS5vcmc", (URL64, 150))],
    "rubygems-key": [("rubygems_", (HEX, 48))],
    "crates-token": [("cio", (ALNUM, 32))],
    "nuget-key": [("oy2", (ascii_lowercase + digits, 43))],
    "clojars-token": [("CLOJARS_", (ascii_lowercase + digits, 60))],
    "docker-token": [("dckr_pat_", (URL64, 27))],
    "twilio-key": [("SK", (HEX, 32))],
    "sendgrid-key": [("SG.", (URL64, 22), ".", (URL64, 43))],
    "mailgun-key": [("key-", (HEX, 32))],
    "mailchimp-key": [((HEX, 32), "-us14")],
    "brevo-key": [("xkeysib-", (HEX, 64), "-", (ALNUM, 16))],
    "telegram-token": [((digits, 10), ":AA", (URL64, 33))],
    "discord-token": [("M", (ALNUM, 23), ".", (URL64, 6), ".", (URL64, 38))],
    "digitalocean-token": [("dop_v1_", (HEX, 64))],
    "databricks-token": [("dapi", (HEX, 32))],
    "doppler-token": [("dp.pt.", (ALNUM, 43))],
    "dynatrace-token": [("dt0c01.", (ascii_uppercase, 24), ".", (ascii_uppercase + digits, 64))],
    "fly-token": [("fo1_", (URL64, 43)), ("fm2_", (ALNUM, 120))],
    "grafana-token": [("glsa_", (ALNUM, 32), "_", (HEX, 8)), ("glc_", (ALNUM, 60))],
    "vault-token": [("hvs.", (URL64, 91))],
    "terraform-token": [((ALNUM, 14), ".atlasv1.", (URL64, 67))],
    "heroku-key": [("HRKU-AA", (URL64, 58))],
    "linear-key": [("lin_api_", (ALNUM, 40))],
    "newrelic-key": [("NRAK-", (ascii_uppercase + digits, 27))],
    "notion-token": [("ntn_", (digits, 11), (ALNUM, 35)), ("secret_", (ALNUM, 43))],
    "planetscale-token": [("pscale_tkn_", (URL64, 43))],
    "postman-key": [("PMAK-", (HEX, 24), "-", (HEX, 34))],
    "pulumi-token": [("pul-", (HEX, 40))],
    "sentry-token": [("sntryu_", (HEX, 64)), ("sntrys_", (URL64, 90))],
    "shopify-token": [("shpat_", (HEX, 32))],
    "square-token": [("sq0csp-", (URL64, 43)), ("EAAA", (URL64, 60))],
    "supabase-token": [("sbp_", (HEX, 40)), ("sb_secret_", (URL64, 31))],
    "tailscale-key": [("tskey-auth-", (ALNUM, 12), "CNTRL-", (ALNUM, 32))],
    "onepassword-key": [("ops_eyJ", (ALNUM, 260))],
    "atlassian-token": [("ATATT3", (URL64, 186)), ("ATBB", (ALNUM, 32))],
    "airtable-token": [("pat", (ALNUM, 14), ".", (HEX, 64))],
    "artifactory-token": [("AKCp", (ALNUM, 69)), ("cmVmd", (ALNUM, 59))],
    "openshift-token": [("sha256~", (URL64, 43))],
    "figma-token": [("figd_", (URL64, 40))],
    "netlify-token": [("nfp_", (ALNUM, 36))],
    "sonar-token": [("sqp_", (HEX, 40))],
    "typeform-token": [("tfp_", (URL64, 59))],
    "buildkite-token": [("bkua_", (HEX, 40))],
    "circleci-token": [("CCIPAT_", (ALNUM, 22), "_", (HEX, 40))],
    "alibaba-key": [("LTAI", (ALNUM, 20))],
}  # fmt: skip
SENTENCES = (
    "The deploy uses {}, it was rotated in March.",
    "Run `export SERVICE_TOKEN={}` before the build.",
    "> curl -H 'X-Api-Key: {}' https://api.shop.test/v1/orders",
    "- CI: {}\n- staging: see [[vault of the team]]",
    "```\nclient = connect(\"{}\")\n```\nThis is how the worker logs in.",
    "I pasted {} by mistake; it went into the log (line 12).",
    "{{\"key\": \"{}\", \"region\": \"eu-west-1\"}}",
)  # fmt: skip


def draw(random: Random, shape: Shape) -> str:
    """One secret of a shape."""
    parts = []
    for part in shape:
        if isinstance(part, tuple):
            alphabet, length = part
            parts.append("".join(random.choices(alphabet, k=length)))
        else:
            parts.append(str(part))
    return "".join(parts)


def make_password(random: Random) -> str:
    """One as people choose it, or as a manager draws it."""
    words = ("Sommer", "tiger", "Blue", "monkey", "Winter", "Trustno", "Kaffee", "dragon")
    chosen = (
        f"{random.choice(words)}{random.randrange(10, 9999)}{random.choice(('', '!', '#', '?'))}"
    )
    drawn = draw(random, (("abcdefghkmnpqrstuvwxyz", 4), ("23456789", 3), (PUNCTUATED, 10)))
    return random.choice((chosen, drawn))


def make_block(random: Random, kind: str) -> str:
    """A PEM block."""
    lines = "\n".join(draw(random, ((ALNUM + "+/", 64),)) for _ in range(6))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def make_secrets(random: Random, rounds: int) -> list[tuple[str, str, str]]:
    """Rule, secret and a text that has it, `rounds` of each shape."""
    made = []
    for _ in range(rounds):
        for rule, shapes in SHAPES.items():
            for shape in shapes:
                secret = draw(random, shape)
                # Alone: behind a key another rule may be the one that tells it.
                made.append((rule, secret, random.choice(SENTENCES).format(secret)))
        made += _make_keyed(random)
    return made


def _make_keyed(random: Random) -> list[tuple[str, str, str]]:
    token, password = draw(random, ((ALNUM, 32),)), make_password(random)
    aws = draw(random, ((ALNUM + "/+", 40),))
    basic = b64encode(f"admin:{password}".encode()).decode()
    hexed = draw(random, ((HEX, 40),))
    identity = str(UUID(int=random.getrandbits(128)))
    azure = b64encode(random.randbytes(64)).decode()
    account = draw(random, ("AKIA", (ascii_uppercase, 16)))
    block = make_block(random, random.choice(("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY")))
    okta = "00" + draw(random, ((URL64, 40),))
    return [
        ("private-key", block.splitlines()[2], f"The key of the bastion:\n\n{block}\n\nKeep it."),
        ("private-key", block.splitlines()[1], f'{{"private_key": {block!r}}}'),
        ("aws-secret-key", aws, f"aws_secret_access_key = {aws}\nregion = eu-central-1"),
        ("aws-secret-key", aws, f"Keys for the backup: {account} / {aws}"),
        ("azure-key", azure, f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={azure};"),
        ("okta-token", okta, f"Authorization: SSWS {okta}"),
        (
            "url-password",
            password,
            f"DATABASE_URL=postgres://app:{password}@db.shop.test:5432/orders",
        ),
        ("url-password", password, f"It listens on redis://:{password}@cache:6379/0 now."),
        ("authorization", token, f"curl -H 'Authorization: Bearer {token}' https://api.shop.test"),
        ("authorization", basic, f"Header `Authorization: Basic {basic}` worked."),
        ("password", password, f"password = {password}"),
        ("password", password, f"DB_PASSWORD_STAGING={password}\nDB_HOST=db.shop.test"),
        ("password", password, f'spring.datasource.password: "{password}"'),
        ("password", password, f"- user: deploy\n- **Password:** {password}\n"),
        ("password", password, f"| user | deploy |\n| password | {password} |"),
        ("password", password, f'{{"user": "deploy", "passwd": "{password}"}}'),
        ("password", password, f"Server=db;Uid=app;Pwd={password};Encrypt=yes"),
        ("password", password, f"curl -u deploy:{password} https://api.shop.test/health"),
        ("password", password, f"mysqldump --password {password} orders"),
        ("secret", password, f"The password for the staging database is {password}."),
        ("secret", token, f"api_key: {token}"),
        ("secret", hexed, f"const apiToken = '{hexed}';"),
        ("secret", identity, f"HEROKU_API_KEY={identity}"),
        ("secret", token, f"client_secret={token}&grant_type=client_credentials"),
        ("secret", token, f"auth.service.token={token}"),
        ("secret", hexed, f'"signing_key" => "{hexed}",'),
        ("secret", token, f"the API key is `{token}`, ask before you rotate it"),
        ("secret", token, f"deployctl --api-token {token} --region eu"),
        ("secret", token, f'<add key="ApiKey" value="{token}" />'),
        ("secret", token, f"ENV SERVICE_TOKEN {token}"),
        ("secret", token, f"Set-Cookie: sid={token}; HttpOnly"),
        ("secret", hexed, f"key = {{'secret': b'{hexed}'}}"),
        ("password", password, f"sshpass -p '{password}' ssh deploy@h.test"),
        ("password", password, f"Password for the admin: {password}"),
        ("password", password, f"password (staging): {password}"),
        ("secret", password, f"The admin password was changed to {password}."),
    ]


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
