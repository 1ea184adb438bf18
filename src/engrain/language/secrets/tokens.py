"""Tokens known by a vendor's prefix or form: rows of the table in `model.secret_rules`.

Lengths are lower bounds, since vendors lengthen their tokens.
"""

from __future__ import annotations

from engrain.language.secrets.rule import SEARCH, Rule

ALNUM = "[A-Za-z0-9]"
WORD = r"[\w-]"
"""The characters of base64url."""
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

TOKENS = (
    Rule("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    Rule("jwt", "eyj", rf"{NEW}eyJ{WORD}{{10,}}+\.eyJ{WORD}{{10,}}+\.{WORD}{{10,}}+"),
    Rule(
        "aws-access-key",
        "akia|asia|abia|acca|a3t",
        rf"{NEW}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{{16}}(?![A-Za-z0-9])",
        "block",
    ),
    Rule(
        "aws-session-token",
        "iqojb3jpz2lu|fwogzxivyxdz",
        r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9/+%]{80,}+={0,2}",
    ),
    Rule("gcp-api-key", "aiza", rf"{NEW}AIza{WORD}{{35,}}+"),
    Rule("gcp-oauth", "gocspx-|ya29.", rf"{NEW}(?:GOCSPX-{WORD}{{28,}}+|ya29\.{WORD}{{30,}}+)"),
    Rule("azure-ad-secret", "q~", rf"[\w.~]{NEW_ONE}[\w.~]{{2}}\dQ~[\w.~-]{{31,}}+", form=SEARCH),
    Rule(
        "azure-key",
        "accountkey|sharedaccesskey|?sig=|&sig=",
        r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9/+]{40,}+={0,2})"
        r"|[?&]sig=([A-Za-z0-9%/+]{40,}+(?:%3D|=){0,2})",
    ),
    Rule(
        "github-token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        rf"{NEW}(?:gh[pousr]_{ALNUM}{{36,}}+|github_pat_\w{{60,}}+)",
    ),
    Rule(
        "gitlab-token",
        "glpat-|gldt-|glrt-|glptt-|glft-|glcbt-|glimt-|glagent-|gloas-|glsoat-",
        rf"{NEW}gl(?:pat|dt|rt|ptt|ft|cbt|imt|agent|oas|soat)-[\w.-]{{20,}}+",
    ),
    Rule("slack-token", "xox|xapp-", rf"{NEW}(?:xox[abeprs]|xapp)-[\w.-]{{20,}}+"),
    Rule(
        "webhook",
        "hooks.slack.com|discord|webhook.office.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,}+)"
        rf"|discord(?:app)?\.com/api/webhooks/\d{{10,30}}/({WORD}{{40,}}+)"
        r"|webhook\.office\.com/webhookb2/([\w@/-]{40,}+)",
    ),
    Rule(
        "stripe-key",
        "sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|rk_prod_|whsec_",
        rf"{NEW}(?:[sr]k_(?:live|test|prod)_{ALNUM}{{16,}}+|whsec_[\w+/=]{{24,}}+)",
    ),
    Rule("anthropic-key", "sk-ant-", rf"{NEW}sk-ant-{WORD}{{24,}}+"),
    Rule(
        "openai-key",
        "sk-",
        rf"{NEW}sk-(?:(?:proj|svcacct|admin|or-v1|lf)-{WORD}{{20,}}+|{ALNUM}{{32,}}+)",
    ),
    Rule("huggingface-token", "hf_|api_org_", rf"{NEW}(?:hf|api_org)_{ALNUM}{{30,}}+"),
    Rule(
        "model-api-key",
        "gsk_|r8_|xai-|pplx-|lsv2_|tgp_v1_|nvapi-|fw_",
        rf"{NEW}(?:gsk_|r8_|xai-|pplx-|fw_){ALNUM}{{24,}}+"
        rf"|{NEW}(?:lsv2_(?:pt|sk)_|tgp_v1_|nvapi-){WORD}{{32,}}+",
    ),
    Rule("npm-token", "npm_", rf"{NEW}npm_{ALNUM}{{36,}}+"),
    Rule("pypi-token", "pypi-ageichlwas5vcmc", rf"pypi-AgEIcHlwaS5vcmc{WORD}{{40,}}+"),
    Rule("rubygems-key", "rubygems_", rf"{NEW}rubygems_[a-f0-9]{{48}}"),
    Rule("crates-token", "cio", rf"{NEW}cio{ALNUM}{{32}}(?![A-Za-z0-9])"),
    Rule("nuget-key", "oy2", rf"{NEW}oy2[a-z0-9]{{43}}(?![A-Za-z0-9])"),
    Rule("clojars-token", "clojars_", r"CLOJARS_[a-z0-9]{60}"),
    Rule("docker-token", "dckr_", rf"{NEW}dckr_(?:pat|oat)_{WORD}{{27,}}+"),
    Rule("twilio-key", "sk", rf"{NEW}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    Rule("sendgrid-key", "sg.", rf"{NEW}SG\.{WORD}{{16,40}}+\.{WORD}{{32,64}}"),
    Rule("mailgun-key", "key-", rf"{NEW}(?<!-)key-[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    Rule(
        "mailchimp-key", "-us", rf"[0-9a-f]{NEW_ONE}[0-9a-f]{{31}}-us\d{{1,2}}(?!\w)", form=SEARCH
    ),
    Rule("brevo-key", "xkeysib-", rf"{NEW}xkeysib-[0-9a-f]{{64}}-{ALNUM}{{16}}"),
    Rule(
        "telegram-token", ":aa", rf"\d{NEW_ONE}\d{{5,11}}:AA{WORD}{{32,34}}(?![\w-])", form=SEARCH
    ),
    Rule(
        "discord-token",
        ".",
        rf"[MNO]{NEW_ONE}{WORD}{{22,27}}\.{WORD}{{6}}\.{WORD}{{27,40}}(?![\w-])",
        form=SEARCH,
    ),
    Rule("digitalocean-token", "do", rf"{NEW}do[oprt]_v1_[a-f0-9]{{64}}"),
    Rule("databricks-token", "dapi", rf"{NEW}dapi[a-f0-9]{{32}}(?:-\d)?(?![A-Za-z0-9])"),
    Rule("doppler-token", "dp.", rf"{NEW}dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.]{{40,}}+"),
    Rule("dynatrace-token", "dt0", rf"{NEW}dt0[a-z]\d\d\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}"),
    Rule("fly-token", "fo1_|fm1|fm2_", rf"{NEW}(?:fo1_{WORD}{{43}}|fm(?:1[ar]|2)_[\w+/=]{{80,}}+)"),
    Rule(
        "grafana-token",
        "glsa_|glc_",
        rf"{NEW}(?:glsa_{ALNUM}{{32}}_[A-Fa-f0-9]{{8}}|glc_[\w+/=]{{32,}}+)",
    ),
    Rule("vault-token", "hvs.|hvb.", rf"{NEW}hv[sb]\.{WORD}{{24,}}+"),
    Rule(
        "terraform-token",
        ".atlasv1.",
        rf"{ALNUM}{NEW_ONE}{ALNUM}{{13}}\.atlasv1\.[\w=-]{{60,}}+",
        form=SEARCH,
    ),
    Rule("heroku-key", "hrku-", rf"{NEW}HRKU-{WORD}{{36,}}+"),
    Rule("linear-key", "lin_api_", rf"{NEW}lin_api_{ALNUM}{{40}}"),
    Rule("newrelic-key", "nrak-|nrii-|nrra-", rf"{NEW}NR(?:AK|II|RA)-[A-Za-z0-9-]{{27,}}+"),
    Rule(
        "notion-token",
        "ntn_|secret_",
        rf"{NEW}(?:ntn_{ALNUM}{{40,}}+|secret_{ALNUM}{{43}}(?![A-Za-z0-9]))",
    ),
    Rule("planetscale-token", "pscale_", rf"{NEW}pscale_(?:tkn|pw|oauth)_[\w=.-]{{32,}}+"),
    Rule("postman-key", "pmak-", rf"{NEW}PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}"),
    Rule("pulumi-token", "pul-", rf"{NEW}pul-[a-f0-9]{{40}}"),
    Rule("sentry-token", "sntry", rf"{NEW}(?:sntryu_[a-f0-9]{{64}}|sntrys_[\w+/=-]{{60,}}+)"),
    Rule(
        "shopify-token",
        "shpat_|shpss_|shpca_|shppa_",
        rf"{NEW}shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{{32}}",
    ),
    Rule("square-token", "eaaa|sq0", rf"{NEW}(?:EAAA{WORD}{{56,}}+|sq0(?:atp|csp)-{WORD}{{22,}}+)"),
    Rule(
        "supabase-token",
        "sbp_|sb_secret_",
        rf"{NEW}(?:sbp_[a-f0-9]{{40}}|sb_secret_{WORD}{{20,}}+)",
    ),
    Rule("tailscale-key", "tskey-", rf"{NEW}tskey-[a-z]+-{WORD}{{20,}}+"),
    Rule(
        "onepassword-key",
        "a3-|ops_eyj",
        rf"{NEW}A3-[A-Z0-9]{{6}}-[A-Z0-9]{{6}}-?[A-Z0-9]{{5}}(?:-[A-Z0-9]{{5}}){{3}}"
        rf"|{NEW}ops_eyJ[\w+/=-]{{80,}}+",
    ),
    Rule(
        "atlassian-token",
        "atatt3|atbb|atctt3",
        rf"{NEW}(?:AT[AC]TT3[\w=-]{{100,}}+|ATBB{ALNUM}{{32}})",
    ),
    Rule("airtable-token", "pat", rf"{NEW}pat{ALNUM}{{14}}\.[a-f0-9]{{64}}"),
    Rule("artifactory-token", "akcp|cmvmd", rf"{NEW}(?:AKCp{ALNUM}{{65,}}+|cmVmd{ALNUM}{{59,}}+)"),
    Rule("openshift-token", "sha256~", rf"{NEW}sha256~{WORD}{{43}}"),
    Rule("figma-token", "figd_", rf"{NEW}figd_{WORD}{{38,}}+"),
    Rule("netlify-token", "nfp_", rf"{NEW}nfp_{ALNUM}{{36,}}+"),
    Rule("sonar-token", "sqp_|squ_|sqa_", rf"{NEW}sq[pua]_[a-f0-9]{{40}}"),
    Rule("typeform-token", "tfp_", rf"{NEW}tfp_[\w.-]{{40,}}+"),
    Rule("buildkite-token", "bkua_", rf"{NEW}bkua_[a-f0-9]{{40}}"),
    Rule("circleci-token", "ccip", rf"{NEW}CCIP(?:AT|PRJ)_{ALNUM}{{16,40}}+_[a-f0-9]{{40}}"),
    Rule("alibaba-key", "ltai", rf"{NEW}LTAI{ALNUM}{{16,24}}(?![A-Za-z0-9])"),
    Rule("adafruit-key", "aio_", rf"{NEW}aio_{ALNUM}{{24,}}+"),
    Rule(
        "braintree-token",
        "access_token$",
        rf"{NEW}access_token\$(?:production|sandbox)\${ALNUM}{{16}}\${ALNUM}{{32,}}+",
    ),
    Rule("contentful-token", "cfpat-", rf"{NEW}CFPAT-{WORD}{{40,}}+"),
    Rule("duffel-token", "duffel_", rf"{NEW}duffel_(?:live|test)_{WORD}{{40,}}+"),
    Rule("easypost-key", "ezak|eztk", rf"{NEW}EZ[AT]K{ALNUM}{{50,}}+"),
    Rule("flutterwave-key", "flwseck", rf"{NEW}FLWSECK(?:_TEST)?-{ALNUM}{{12,}}+-X"),
    Rule("frameio-token", "fio-u-", rf"{NEW}fio-u-{WORD}{{60,}}+"),
    Rule("neon-key", "napi_", rf"{NEW}napi_{ALNUM}{{40,}}+"),
    Rule("octopus-key", "api-", rf"{NEW}API-[A-Z0-9]{{25,}}(?![a-z])"),
    Rule("posthog-key", "phx_|phs_", rf"{NEW}ph[xs]_{ALNUM}{{40,}}+"),
    Rule("prefect-key", "pnu_|pnb_", rf"{NEW}pn[ub]_{ALNUM}{{30,}}+"),
    Rule("readme-key", "rdme_", rf"{NEW}rdme_{ALNUM}{{60,}}+"),
    Rule("render-key", "rnd_", rf"{NEW}rnd_{ALNUM}{{24,}}+"),
    Rule("shippo-token", "shippo_", rf"{NEW}shippo_(?:live|test)_[a-f0-9]{{40}}"),
    Rule("sourcegraph-token", "sgp_|slk_", rf"{NEW}s(?:gp|lk)_\w{{40,}}+"),
    Rule("hubspot-token", "pat-na|pat-eu", rf"{NEW}pat-(?:na|eu)\d-[a-f0-9-]{{36}}"),
    Rule(
        "plaid-token",
        "access-sandbox|access-prod|access-dev",
        rf"{NEW}access-(?:sandbox|development|production)-[a-f0-9-]{{36}}",
    ),
    Rule("razorpay-key", "rzp_", rf"{NEW}rzp_(?:live|test)_{ALNUM}{{14,}}+"),
    Rule("search-api-key", "tvly-|pcsk_", rf"{NEW}(?:tvly-{WORD}{{24,}}+|pcsk_\w{{40,}}+)"),
    Rule("resend-key", "re_", rf"{NEW}re_{ALNUM}{{8}}_{ALNUM}{{20,}}+"),
    Rule("zuplo-key", "zpka_", rf"{NEW}zpka_\w{{40,}}+"),
    Rule("dropbox-token", "sl.", rf"{NEW}sl\.{WORD}{{60,}}+"),
    Rule("mapbox-token", "sk.eyj", rf"{NEW}sk\.eyJ{WORD}{{20,}}+\.{WORD}{{20,}}+"),
    Rule("cloudflare-key", "v1.0-", rf"{NEW}v1\.0-[a-f0-9]{{24}}-[a-f0-9]{{100,}}+"),
    Rule("yandex-token", "aqvn|y0_", rf"{NEW}(?:AQVN{WORD}{{35,}}+|y0_{WORD}{{50,}}+)"),
    Rule("vercel-token", "vcp_|vck_", rf"{NEW}vc[pk]_{ALNUM}{{24,}}+"),
    Rule("apify-token", "apify_api_", rf"{NEW}apify_api_{ALNUM}{{36,}}+"),
    Rule("adobe-key", "p8e-", rf"{NEW}p8e-[a-z0-9]{{32}}"),
    Rule("wandb-key", "wandb_v1_", rf"{NEW}wandb_v1_{WORD}{{40,}}+"),
    Rule("linear-oauth", "lin_oauth_", rf"{NEW}lin_oauth_{ALNUM}{{40,}}+"),
    Rule("okta-token", "ssws", rf"(?i:ssws)[ \t]+(00{WORD}{{40}})", "block"),
)
