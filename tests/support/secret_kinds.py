"""Secrets of many kinds, drawn anew at each run, so that nothing that looks real stands in a file.

A kind is a name, what it needs to be recognised, and how one is drawn. `token`: its own form tells
it. `key`: a token known only by the key beside it. `password`: what a person chose or a manager
drew, known by the word for it alone.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from uuid import UUID

HEX = "0123456789abcdef"
ALNUM = ascii_letters + digits
URL64 = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = ascii_uppercase + "234567"
LOWER = ascii_lowercase + digits
UPPER = ascii_uppercase + digits
MARKS = "!#$%&*+?@^~"

Part = tuple[str, int]
Draw = Callable[[Random], str]

TOKENS: dict[str, tuple[str | Part, ...]] = {
    "adafruit": ("aio_", (ALNUM, 28)),
    "age": ("AGE-SECRET-KEY-1", (UPPER, 58)),
    "airtable": ("pat", (ALNUM, 14), ".", (HEX, 64)),
    "alibaba-id": ("LTAI", (ALNUM, 20)),
    "anthropic": ("sk-ant-api03-", (URL64, 93), "AA"),
    "anthropic-oauth": ("sk-ant-oat01-", (URL64, 93), "AA"),
    "artifactory": ("AKCp", (ALNUM, 69)),
    "artifactory-reference": ("cmVmd", (ALNUM, 59)),
    "atlassian": ("ATATT3", (URL64, 186)),
    "aws-access-key-id": ("AKIA", (BASE32, 16)),
    "aws-temporary-id": ("ASIA", (BASE32, 16)),
    "azure-ad": ((ALNUM, 3), "8Q~", (ALNUM + "_.~-", 34)),
    "bitbucket-app": ("ATBB", (ALNUM, 32)),
    "braintree": ("access_token$production$", (LOWER, 16), "$", (HEX, 32)),
    "brevo": ("xkeysib-", (HEX, 64), "-", (ALNUM, 16)),
    "buildkite": ("bkua_", (HEX, 40)),
    "circleci": ("CCIPAT_", (ALNUM, 22), "_", (HEX, 40)),
    "clojars": ("CLOJARS_", (LOWER, 60)),
    "cloudflare-origin": ("v1.0-", (HEX, 24), "-", (HEX, 146)),
    "contentful": ("CFPAT-", (URL64, 43)),
    "crates": ("cio", (ALNUM, 32)),
    "databricks": ("dapi", (HEX, 32)),
    "digitalocean": ("dop_v1_", (HEX, 64)),
    "discord": ("M", (ALNUM, 23), ".", (URL64, 6), ".", (URL64, 38)),
    "discord-webhook": ("https://discord.com/api/webhooks/", (digits, 18), "/", (URL64, 68)),
    "docker": ("dckr_pat_", (URL64, 27)),
    "doppler": ("dp.pt.", (ALNUM, 43)),
    "dropbox": ("sl.", (URL64, 138)),
    "duffel": ("duffel_live_", (URL64, 43)),
    "dynatrace": ("dt0c01.", (ascii_uppercase, 24), ".", (UPPER, 64)),
    "easypost": ("EZAK", (ALNUM, 54)),
    "figma": ("figd_", (URL64, 40)),
    "flutterwave": ("FLWSECK_TEST-", (HEX, 32), "-X"),
    "fly": ("fm2_", (ALNUM, 120)),
    "frameio": ("fio-u-", (URL64, 64)),
    "gcp-api-key": ("AIza", (URL64, 35)),
    "gcp-oauth-secret": ("GOCSPX-", (URL64, 28)),
    "gcp-oauth-token": ("ya29.", (URL64, 120)),
    "github-classic": ("ghp_", (ALNUM, 36)),
    "github-fine-grained": ("github_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "github-server": ("ghs_", (ALNUM, 36)),
    "gitlab": ("glpat-", (URL64, 20)),
    "gitlab-runner": ("glrt-", (URL64, 20)),
    "grafana-cloud": ("glc_", (ALNUM, 60)),
    "grafana-service": ("glsa_", (ALNUM, 32), "_", (HEX, 8)),
    "groq": ("gsk_", (ALNUM, 52)),
    "heroku": ("HRKU-AA", (URL64, 58)),
    "huggingface": ("hf_", (ascii_letters, 34)),
    "jwt": ("eyJ", (URL64, 33), ".eyJ", (URL64, 60), ".", (URL64, 43)),
    "langsmith": ("lsv2_pt_", (HEX, 32), "_", (HEX, 10)),
    "linear": ("lin_api_", (ALNUM, 40)),
    "mailchimp": ((HEX, 32), "-us14"),
    "mailgun": ("key-", (HEX, 32)),
    "mapbox": ("sk.eyJ", (URL64, 60), ".", (URL64, 22)),
    "neon": ("napi_", (LOWER, 64)),
    "netlify": ("nfp_", (ALNUM, 36)),
    "newrelic": ("NRAK-", (UPPER, 27)),
    "notion": ("ntn_", (digits, 11), (ALNUM, 35)),
    "npm": ("npm_", (ALNUM, 36)),
    "nuget": ("oy2", (LOWER, 43)),
    "nvidia": ("nvapi-", (URL64, 64)),
    "octopus": ("API-", (UPPER, 26)),
    "okta": ("SSWS 00", (URL64, 40)),
    "onepassword": ("ops_eyJ", (ALNUM, 260)),
    "openai": ("sk-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)),
    "openai-project": ("sk-proj-", (URL64, 74), "T3BlbkFJ", (URL64, 74)),
    "openshift": ("sha256~", (URL64, 43)),
    "perplexity": ("pplx-", (ALNUM, 48)),
    "planetscale": ("pscale_tkn_", (URL64, 43)),
    "posthog": ("phx_", (ALNUM, 43)),
    "postman": ("PMAK-", (HEX, 24), "-", (HEX, 34)),
    "prefect": ("pnu_", (ALNUM, 36)),
    "pulumi": ("pul-", (HEX, 40)),
    "pypi": ("pypi-AgEIcHlwaS5vcmc", (URL64, 150)),
    "readme": ("rdme_", (LOWER, 70)),
    "render": ("rnd_", (ALNUM, 28)),
    "replicate": ("r8_", (ALNUM, 37)),
    "rubygems": ("rubygems_", (HEX, 48)),
    "sendgrid": ("SG.", (URL64, 22), ".", (URL64, 43)),
    "sentry-org": ("sntrys_", (URL64, 90)),
    "sentry-user": ("sntryu_", (HEX, 64)),
    "shippo": ("shippo_live_", (HEX, 40)),
    "shopify": ("shpat_", (HEX, 32)),
    "slack-bot": ("xoxb-", (digits, 12), "-", (digits, 12), "-", (ALNUM, 24)),
    "slack-app": ("xapp-1-A", (ALNUM, 10), "-", (digits, 13), "-", (HEX, 64)),
    "slack-webhook": (
        "https://hooks.slack.com/services/T", (UPPER, 10), "/B", (UPPER, 10), "/", (ALNUM, 24)
    ),
    "sonar": ("sqp_", (HEX, 40)),
    "sourcegraph": ("sgp_", (HEX, 40)),
    "square": ("sq0csp-", (URL64, 43)),
    "square-access": ("EAAA", (URL64, 60)),
    "stripe": ("sk_live_", (ALNUM, 24)),
    "stripe-restricted": ("rk_live_", (ALNUM, 99)),
    "stripe-webhook": ("whsec_", (ALNUM, 32)),
    "supabase": ("sbp_", (HEX, 40)),
    "supabase-secret": ("sb_secret_", (URL64, 31)),
    "tailscale": ("tskey-auth-", (ALNUM, 12), "CNTRL-", (ALNUM, 32)),
    "telegram": ((digits, 10), ":AA", (URL64, 33)),
    "terraform": ((ALNUM, 14), ".atlasv1.", (URL64, 67)),
    "twilio": ("SK", (HEX, 32)),
    "typeform": ("tfp_", (URL64, 59)),
    "vault": ("hvs.", (URL64, 91)),
    "adobe": ("p8e-", (LOWER, 32)),
    "apify": ("apify_api_", (ALNUM, 36)),
    "aws-session": ("IQoJb3JpZ2lu", (BASE64, 280)),
    "hubspot": ("pat-na1-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    "linear-oauth": ("lin_oauth_", (HEX, 64)),
    "plaid": (
        "access-sandbox-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)
    ),
    "razorpay": ("rzp_live_", (ALNUM, 14)),
    "resend": ("re_", (ALNUM, 8), "_", (ALNUM, 24)),
    "tavily": ("tvly-", (ALNUM, 32)),
    "vercel": ("vcp_", (ALNUM, 56)),
    "wandb": ("wandb_v1_", (URL64, 77)),
    "yandex": ("y0_", (URL64, 55)),
    "zuplo": ("zpka_", (LOWER, 32), "_", (HEX, 8)),
    "adyen": ("AQE", (ALNUM, 90), "-", (BASE64, 43), "=-", (ALNUM, 16)),
    "axiom": (
        "xaat-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)
    ),
    "azure-devops": ((ALNUM, 76), "AZDO", (ALNUM, 4)),
    "bedrock": ("ABSK", (BASE64, 120)),
    "bitwarden": (
        "0.", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12),
        ".", (ALNUM, 30), ":", (BASE64, 22), "==",
    ),
    "brave": ("BSA", (URL64, 28)),
    "browserbase": ("bb_live_", (URL64, 27)),
    "buildkite-agent": ("bkct_", (ALNUM, 40)),
    "cerebras": ("csk-", (LOWER, 48)),
    "chroma": ("ck-", (ALNUM, 44)),
    "clickup": ("pk_", (digits, 8), "_", (UPPER, 32)),
    "cloudflare-user": ("cfut_", (ALNUM, 40)),
    "confluent": ("cflt", (BASE64, 60)),
    "cursor": ("key_", (HEX, 64)),
    "datadog": ("ddapp_", (ALNUM, 34)),
    "daytona": ("dtn_", (HEX, 64)),
    "dbt": ("dbtc_", (URL64, 36)),
    "depot": ("depot_", (HEX, 64)),
    "dodo": ("dodo_live_", (ALNUM, 40)),
    "e2b": ("e2b_", (HEX, 40)),
    "elevenlabs": ("sk_", (HEX, 48)),
    "firecrawl": ("fc-", (HEX, 32)),
    "gcp-refresh": ("1//0", (URL64, 98)),
    "gemini-auth": ("AQ.Ab", (URL64, 48)),
    "gitlab-registration": ("GR1348941", (URL64, 20)),
    "grafana-old": ("eyJrIjoi", (ALNUM, 80)),
    "honeycomb": ("hcaik_", (LOWER, 58)),
    "infisical": ("st.", (HEX, 24), ".", (HEX, 32), ".", (HEX, 32)),
    "inngest": ("signkey-prod-", (HEX, 64)),
    "jina": ("jina_", (HEX, 32), (ALNUM, 28)),
    "kaggle": ("KGAT_", (HEX, 32)),
    "launchdarkly": (
        "sdk-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)
    ),
    "letta": ("sk-let-", (ALNUM, 60)),
    "liveblocks": ("sk_prod_", (URL64, 64)),
    "mailersend": ("mlsn.", (HEX, 64)),
    "mem0": ("m0-", (ALNUM, 40)),
    "modal": ("as-a1B", (ALNUM, 19)),
    "mollie": ("live_", (ALNUM, 30), "7"),
    "mongodb": ("mdb_sa_sk_", (URL64, 40)),
    "n8n": ("n8n_api_", (HEX, 80)),
    "nango": ("nango_", (ALNUM, 40)),
    "onfido": ("api_live.", (ALNUM, 11), ".", (URL64, 32)),
    "openrouter": ("sk-or-v1-", (HEX, 64)),
    "paddle": ("pdl_live_apikey_01", (LOWER, 24), "_", (ALNUM, 22)),
    "polar": ("polar_oat_", (ALNUM, 43)),
    "retool": ("retool_01", (LOWER, 42)),
    "salesforce": ("00D", (ALNUM, 12), "!AQ", (ALNUM, 90)),
    "scaleway": ("SCW", (UPPER, 17)),
    "snyk": ("snyk_uat.", (HEX, 8), ".", (URL64, 60)),
    "supermemory": ("sm_", (ALNUM, 60)),
    "tencent": ("AKID", (ALNUM, 32)),
    "tinybird": ("p.eyJ", (URL64, 90), ".", (URL64, 43)),
    "trigger": ("tr_prod_", (ALNUM, 24)),
    "unkey": ("unkey_", (ALNUM, 22)),
    "vault-recovery": ("hvr.", (URL64, 100)),
    "xai": ("xai-", (ALNUM, 80)),
}  # fmt: skip
KEYS: dict[str, tuple[str | Part, ...]] = {
    "alnum-20": ((ALNUM, 20),),
    "alnum-32": ((ALNUM, 32),),
    "alnum-64": ((ALNUM, 64),),
    "aws-secret-access-key": ((BASE64, 40),),
    "base32": ((BASE32, 32),),
    "base64-44": ((BASE64, 43), "="),
    "base64-88": ((BASE64, 86), "=="),
    "base64-40": ((BASE64, 40),),
    "base64-64": ((BASE64, 64),),
    "base64url-43": ((URL64, 43),),
    "base64url-22": ((URL64, 22),),
    "hex-32": ((HEX, 32),),
    "hex-40": ((HEX, 40),),
    "hex-64": ((HEX, 64),),
    "letters-32": ((ascii_letters, 32),),
    "lower-40": ((LOWER, 40),),
    "numbered": ((digits, 6), "-", (LOWER, 32), ".apps"),
    "dotted": ((ALNUM, 10), ".", (URL64, 32)),
}
WORDS = (
    "Sommer", "tiger", "Blue", "monkey", "Winter", "Trustno", "Kaffee", "dragon", "Password",
    "welcome", "Berlin", "orange", "Falcon", "pepper", "Montag", "rocket", "Zebra", "letmein",
)  # fmt: skip


def draw(random: Random, parts: tuple[str | Part, ...]) -> str:
    """One of a shape: words as they stand, alphabets drawn from."""
    return "".join(
        part if isinstance(part, str) else "".join(random.choices(part[0], k=part[1]))
        for part in parts
    )


def chosen(random: Random) -> str:
    return f"{random.choice(WORDS)}{random.randrange(10, 9999)}{random.choice('!#?$')}"


def plain_chosen(random: Random) -> str:
    return f"{random.choice(WORDS)}{random.randrange(100, 99999)}"


def spelled(random: Random) -> str:
    word = random.choice(("Troubadour", "Elephantine", "Watermelon", "Skateboard", "Adventures"))
    swaps = {"o": "0", "e": "3", "a": "4", "s": "5", "i": "1"}
    left = "".join(swaps.get(letter, letter) for letter in word)
    return f"{left}{random.choice('&!@%')}{random.randrange(10)}"


def two_words(random: Random) -> str:
    one, two = random.sample(WORDS, 2)
    return f"{one}{random.choice('-_.')}{two}{random.choice('-_.')}{random.randrange(10, 999)}!"


def drawn(random: Random, size: int = 16, marks: str = MARKS) -> str:
    made = [random.choice(part) for part in (ascii_lowercase, ascii_uppercase, digits, marks)]
    made += random.choices(ALNUM + marks, k=size - len(made))
    random.shuffle(made)
    # A mark in front belongs to the sentence as often as to the password.
    return random.choice(ALNUM) + "".join(made) + random.choice(ALNUM)


def drawn_alnum(random: Random) -> str:
    return draw(random, (("abcdefghkmnpqrstuvwxyz", 4), ("23456789", 3), (ALNUM, 9)))


def grouped(random: Random) -> str:
    return "-".join(draw(random, ((ALNUM, 6),)) for _ in range(3)) + str(random.randrange(10))


PASSWORDS: dict[str, Draw] = {
    "password-chosen": chosen,
    "password-plain": plain_chosen,
    "password-spelled": spelled,
    "password-words": two_words,
    "password-drawn": drawn,
    "password-drawn-long": lambda random: drawn(random, 26, "!#%*+-._~"),
    "password-alnum": drawn_alnum,
    "password-grouped": grouped,
    "password-marks": lambda random: drawn(random, 18, "!@#$%^&*()_+-=[]{}"),
    "password-lower": lambda random: draw(random, ((LOWER, 5), (digits, 3), (LOWER, 8))),
    "password-hex": lambda random: draw(random, ((HEX, 7), (digits, 2), (HEX, 7))),
}


def uuid(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def basic(random: Random) -> str:
    return b64encode(f"deploy:{drawn(random)}".encode()).decode()


def make_kinds() -> dict[str, tuple[str, Draw]]:
    """Every kind by name: `token`, `key` or `password`, and how one is drawn."""
    found: dict[str, tuple[str, Draw]] = {}
    for name, parts in TOKENS.items():
        found[name] = ("token", lambda random, parts=parts: draw(random, parts))  # type: ignore[misc]
    for name, parts in KEYS.items():
        found[name] = ("key", lambda random, parts=parts: draw(random, parts))  # type: ignore[misc]
    found["uuid"] = ("key", uuid)
    found["basic-credentials"] = ("key", basic)
    for name, make in PASSWORDS.items():
        found[name] = ("password", make)
    return found
