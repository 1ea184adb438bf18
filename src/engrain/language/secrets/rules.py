"""The rules of `finding`, those that say most first.

The shapes are those that gitleaks (MIT, github.com/gitleaks/gitleaks) and detect-secrets (Apache
2.0, github.com/Yelp/detect-secrets) publish and the vendors document. Lengths are lower bounds,
since vendors lengthen their tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

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

_TABLE = r"""
age-key age-secret-key- AGE-SECRET-KEY-1[A-Z0-9]{50,}
jwt eyj {NEW}eyJ(?:{SAFE}{10,1000}+|(?<!{SAFE}eyJ){SAFE}{1000,}+)\.eyJ{SAFE}{10,}+\.{SAFE}{10,}+
aws-access-key/block akia|asia|abia|acca|a3t
    {NEW}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])
aws-session-token iqojb3jpz2lu|fwogzxivyxdz (?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9/+%]{80,}+={0,2}
gcp-api-key aiza {NEW}AIza{SAFE}{35,}+
gcp-oauth gocspx-|ya29. {NEW}(?:GOCSPX-{SAFE}{28,}+|ya29\.{SAFE}{30,}+)
azure-ad-secret/search q~ [\w.~]{NEW_ONE}[\w.~]{2}\dQ~[\w.~-]{31,}+
azure-key accountkey|sharedaccesskey|?sig=|&sig=
    (?i:AccountKey|SharedAccessKey)=([A-Za-z0-9/+]{40,}+={0,2})
    |[?&]sig=([A-Za-z0-9%/+]{40,}+(?:%3D|=){0,2})
github-token ghp_|gho_|ghu_|ghs_|ghr_|github_pat_
    {NEW}(?:gh[pousr]_{ALNUM}{36,}+|github_pat_\w{60,}+)
gitlab-token glpat-|gldt-|glrt|glptt-|glft-|glcbt-|glimt-|glagent-|gloas-|glsoat-|glffct|gr134894
    {NEW}(?:gl(?:pat|dt|rtr?|ptt|ft|ffct|cbt|imt|agent|oas|soat)-|GR1348941)[\w.-]{20,}+
slack-token xox|xapp- {NEW}(?:xox[abeprs]|xapp)-[\w.-]{20,}+
webhook hooks.slack.com|discord|webhook.office.com
    hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,}+)
    |discord(?:app)?\.com/api/webhooks/\d{10,30}/({SAFE}{40,}+)
    |webhook\.office\.com/webhookb2/([\w@/-]{40,}+)
stripe-key sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|rk_prod_|whsec_
    {NEW}(?:[sr]k_(?:live|test|prod)_{ALNUM}{16,}+|whsec_[\w+/=]{24,}+)
anthropic-key sk-ant- {NEW}sk-ant-{SAFE}{24,}+
openai-key sk- {NEW}sk-(?:(?:proj|svcacct|admin|or-v1|lf|api|let|smith|helicone)-{SAFE}{20,}+
    |{ALNUM}{32,}+)
huggingface-token hf_|api_org_ {NEW}(?:hf|api_org)_{ALNUM}{30,}+
model-api-key gsk_|r8_|xai-|pplx-|lsv2_|tgp_v1_|nvapi-|fw_
    {NEW}(?:gsk_|r8_|xai-|pplx-|fw_){ALNUM}{24,}+
    |{NEW}(?:lsv2_(?:pt|sk)_|tgp_v1_|nvapi-){SAFE}{32,}+
npm-token npm_ {NEW}npm_{ALNUM}{36,}+
pypi-token pypi-ageichlwas5vcmc pypi-AgEIcHlwaS5vcmc{SAFE}{40,}+
rubygems-key rubygems_ {NEW}rubygems_[a-f0-9]{48}
crates-token cio {NEW}cio{ALNUM}{32}(?![A-Za-z0-9])
nuget-key oy2 {NEW}oy2[a-z0-9]{43}(?![A-Za-z0-9])
clojars-token clojars_ CLOJARS_[a-z0-9]{60}
docker-token dckr_ {NEW}dckr_(?:pat|oat)_{SAFE}{27,}+
twilio-key sk {NEW}SK[0-9a-f]{32}(?![A-Za-z0-9])
sendgrid-key sg. {NEW}SG\.{SAFE}{16,40}+\.{SAFE}{32,64}
mailgun-key key- {NEW}(?<!-)key-[0-9a-f]{32}(?![A-Za-z0-9])
mailchimp-key/search -us [0-9a-f]{NEW_ONE}[0-9a-f]{31}-us\d{1,2}(?!\w)
brevo-key xkeysib- {NEW}xkeysib-[0-9a-f]{64}-{ALNUM}{16}
telegram-token/search :aa \d{NEW_ONE}\d{5,11}:AA{SAFE}{32,34}(?![\w-])
discord-token/search . [MNO]{NEW_ONE}{SAFE}{22,27}\.{SAFE}{6}\.{SAFE}{27,40}(?![\w-])
digitalocean-token do {NEW}do[oprt]_v1_[a-f0-9]{64}
databricks-token dapi {NEW}dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])
doppler-token dp. {NEW}dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.]{40,}+
dynatrace-token dt0 {NEW}dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}
fly-token fo1_|fm1|fm2_ {NEW}(?:fo1_{SAFE}{43}|fm(?:1[ar]|2)_[\w+/=]{80,}+)
grafana-token glsa_|glc_ {NEW}(?:glsa_{ALNUM}{32}_[A-Fa-f0-9]{8}|glc_[\w+/=]{32,}+)
vault-token hvs.|hvb.|hvr. {NEW}hv[sbr]\.{SAFE}{24,}+
terraform-token/search .atlasv1. {ALNUM}{NEW_ONE}{ALNUM}{13}\.atlasv1\.[\w=-]{60,}+
heroku-key hrku- {NEW}HRKU-{SAFE}{36,}+
linear-key lin_api_ {NEW}lin_api_{ALNUM}{40}
newrelic-key nrak-|nrii-|nrra- {NEW}NR(?:AK|II|RA)-[A-Za-z0-9-]{27,}+
notion-token ntn_|secret_ {NEW}(?:ntn_{ALNUM}{40,}+|secret_{ALNUM}{43}(?![A-Za-z0-9]))
planetscale-token pscale_ {NEW}pscale_(?:tkn|pw|oauth)_[\w=.-]{32,}+
postman-key pmak- {NEW}PMAK-[a-f0-9]{24}-[a-f0-9]{34}
pulumi-token pul- {NEW}pul-[a-f0-9]{40}
sentry-token sntry {NEW}(?:sntryu_[a-f0-9]{64}|sntrys_[\w+/=-]{60,}+)
shopify-token shpat_|shpss_|shpca_|shppa_ {NEW}shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}
square-token eaaa|sq0 {NEW}(?:EAAA{SAFE}{56,}+|sq0(?:atp|csp)-{SAFE}{22,}+)
supabase-token sbp_|sb_secret_ {NEW}(?:sbp_[a-f0-9]{40}|sb_secret_{SAFE}{20,}+)
tailscale-key tskey- {NEW}tskey-[a-z]+-{SAFE}{20,}+
onepassword-key a3-|ops_eyj
    {NEW}A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}|{NEW}ops_eyJ[\w+/=-]{80,}+
atlassian-token atatt3|atbb|atctt3 {NEW}(?:AT[AC]TT3[\w=-]{100,}+|ATBB{ALNUM}{32})
airtable-token pat {NEW}pat{ALNUM}{14}\.[a-f0-9]{64}
artifactory-token akcp|cmvmd {NEW}(?:AKCp{ALNUM}{65,}+|cmVmd{ALNUM}{59,}+)
openshift-token sha256~ {NEW}sha256~{SAFE}{43}
figma-token figd_ {NEW}figd_{SAFE}{38,}+
netlify-token nfp_|nfc_|nfo_|nfu_ {NEW}nf[pcou]_{ALNUM}{36,}+
sonar-token sqp_|squ_|sqa_ {NEW}sq[pua]_[a-f0-9]{40}
typeform-token tfp_ {NEW}tfp_[\w.-]{40,}+
buildkite-token bkua_ {NEW}bkua_[a-f0-9]{40}
circleci-token ccip {NEW}CCIP(?:AT|PRJ)_{ALNUM}{16,40}+_[a-f0-9]{40}
alibaba-key ltai {NEW}LTAI{ALNUM}{16,24}(?![A-Za-z0-9])
adafruit-key aio_ {NEW}aio_{ALNUM}{24,}+
braintree-token access_token$ {NEW}access_token\$(?:production|sandbox)\${ALNUM}{16}\${ALNUM}{32,}+
contentful-token cfpat- {NEW}CFPAT-{SAFE}{40,}+
duffel-token duffel_ {NEW}duffel_(?:live|test)_{SAFE}{40,}+
easypost-key ezak|eztk {NEW}EZ[AT]K{ALNUM}{50,}+
flutterwave-key flwseck {NEW}FLWSECK(?:_TEST)?-{ALNUM}{12,}+-X
frameio-token fio-u- {NEW}fio-u-{SAFE}{60,}+
neon-key napi_ {NEW}napi_{ALNUM}{40,}+
octopus-key api- {NEW}API-[A-Z0-9]{25,}(?![a-z])
posthog-key phx_|phs_ {NEW}ph[xs]_{ALNUM}{40,}+
prefect-key pnu_|pnb_ {NEW}pn[ub]_{ALNUM}{30,}+
readme-key rdme_ {NEW}rdme_{ALNUM}{60,}+
render-key rnd_ {NEW}rnd_{ALNUM}{24,}+
shippo-token shippo_ {NEW}shippo_(?:live|test)_[a-f0-9]{40}
sourcegraph-token sgp_|slk_ {NEW}s(?:gp|lk)_\w{40,}+
hubspot-token pat-na|pat-eu {NEW}pat-(?:na|eu)\d-[a-f0-9-]{36}
plaid-token access-sandbox|access-prod|access-dev
    {NEW}access-(?:sandbox|development|production)-[a-f0-9-]{36}
razorpay-key rzp_ {NEW}rzp_(?:live|test)_{ALNUM}{14,}+
search-api-key tvly-|pcsk_ {NEW}(?:tvly-{SAFE}{24,}+|pcsk_\w{40,}+)
resend-key re_ {NEW}re_{ALNUM}{8}_{ALNUM}{20,}+
zuplo-key zpka_ {NEW}zpka_\w{40,}+
dropbox-token sl. {NEW}sl\.{SAFE}{60,}+
mapbox-token sk.eyj {NEW}sk\.eyJ{SAFE}{20,}+\.{SAFE}{20,}+
cloudflare-key v1.0- {NEW}v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}+
yandex-token aqvn|y0_ {NEW}(?:AQVN{SAFE}{35,}+|y0_{SAFE}{50,}+)
vercel-token vcp_|vck_ {NEW}vc[pk]_{ALNUM}{24,}+
apify-token apify_api_ {NEW}apify_api_{ALNUM}{36,}+
adobe-key p8e- {NEW}p8e-[a-z0-9]{32}
wandb-key wandb_v1_ {NEW}wandb_v1_{SAFE}{40,}+
linear-oauth lin_oauth_ {NEW}lin_oauth_{ALNUM}{40,}+
jina-key jina_ {NEW}jina_[a-f0-9]{32}{ALNUM}{20,}+
firecrawl-key fc- {NEW}fc-[a-f0-9]{32}(?![A-Za-z0-9])
brave-key bsa {NEW}BSA[\w-]{27,28}(?![\w-])
model-api-key csk-|sk_|ck-|m0-|sm_|wrt_|absk|aq.ab|v1.cm|key_|crsr_
    {NEW}(?:csk-[a-z0-9]{40,}+|sk_[a-f0-9]{48,}+|(?:ck-|m0-|wrt_){ALNUM}{36,}+|sm_{ALNUM}{50,}+)
    |{NEW}(?:ABSK[A-Za-z0-9+/]{80,}+|AQ\.Ab{SAFE}{36,}+|v1\.Cm[A-Za-z0-9_-]{60,}+)
    |{NEW}(?:(?:key|crsr)_[a-f0-9]{64}(?![A-Za-z0-9])|sk_(?:prod|dev)_{SAFE}{40,}+)
inngest-key signkey- {NEW}signkey-(?:prod|test|branch)-[a-f0-9]{32,}+
trigger-key tr_ {NEW}tr_(?:prod|dev|stg|pat)_{ALNUM}{20,}+
infisical-token st. {NEW}st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}
bitwarden-token 0. {NEW}0\.[a-f0-9]{8}-[a-f0-9-]{27}\.{ALNUM}{30}:[A-Za-z0-9+/]{20,}+={0,2}
scaleway-key scw {NEW}SCW[A-Z0-9]{17}(?![A-Za-z0-9])
honeycomb-key ik_ {NEW}hc[a-z]ik_[a-z0-9]{40,}+|(?<=hc[a-z])ik_[a-z0-9]{40,}+
axiom-token xaat-|xapt- {NEW}xa(?:at|pt)-[a-f0-9]{8}-[a-f0-9-]{27}
kaggle-token kgat_ {NEW}KGAT_[a-f0-9]{32}
snyk-token snyk_ {NEW}snyk_[a-z]{3}\.[a-f0-9]{8}\.{SAFE}{20,}+
dbt-token dbtc_|dbtu_|dbts_ {NEW}dbt[cus]_{SAFE}{30,}+
mongodb-key mdb_sa_sk_ {NEW}mdb_sa_sk_{SAFE}{30,}+
gcp-refresh-token 1//0 {NEW}1//0{SAFE}{40,}+
azure-devops-token/search azdo [A-Za-z0-9]{NEW_ONE}[A-Za-z0-9]{75}AZDO[A-Za-z0-9]{4}
tencent-key akid {NEW}AKID{ALNUM}{32}(?![A-Za-z0-9])
e2b-key e2b_ {NEW}e2b_[a-f0-9]{40}
modal-token ak-|as- {NEW}a[ks]-(?=[A-Za-z0-9]{0,21}\d)(?=[A-Za-z0-9]{0,21}[A-Z]){ALNUM}{22}(?![\w-])
browserbase-key bb_live_|bb_test_ {NEW}bb_(?:live|test)_{SAFE}{24,}+
daytona-key dtn_ {NEW}dtn_[a-f0-9]{64}
n8n-key n8n_api_ {NEW}n8n_api_{ALNUM}{40,}+
retool-token retool_01 {NEW}retool_01[a-z0-9]{40,}+
tinybird-token p.eyj {NEW}p\.eyJ{SAFE}{40,}+\.{SAFE}{20,}+
launchdarkly-key sdk-|mob- {NEW}(?:sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9-]{22}
salesforce-token 00d {NEW}00D{ALNUM}{12}![\w.]{60,}+
grafana-key eyjrijoi {NEW}eyJrIjoi[A-Za-z0-9+/=]{60,}+
datadog-key ddapp_ {NEW}ddapp_{ALNUM}{34,}+
confluent-key cflt {NEW}cflt[A-Za-z0-9+/]{56,}+
cloudflare-token cfut_|cfat_|cfk_ {NEW}cf(?:ut|at|k)_{ALNUM}{36,}+
clickup-token pk_ {NEW}pk_\d{6,10}_[A-Z0-9]{32}(?![A-Za-z0-9])
mailersend-token mlsn. {NEW}mlsn\.[a-f0-9]{64}
paddle-key pdl_ {NEW}pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_\w{20,}+
polar-token polar_ {NEW}polar_[a-z]{3}_{ALNUM}{36,}+
dodo-key dodo_ {NEW}dodo_(?:live|test)_{ALNUM}{30,}+
unkey-key unkey_ {NEW}unkey_{ALNUM}{20,}+
nango-key nango_ {NEW}nango_{ALNUM}{36,}+
buildkite-agent-token bkct_ {NEW}bkct_{ALNUM}{36,}+
depot-token depot_ {NEW}depot_[a-f0-9]{64}
mollie-key live_ {NEW}live_(?=[A-Za-z]{0,29}\d){ALNUM}{30,}+
onfido-token api_live|api_sandbox
    {NEW}api_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{10,14}\.{SAFE}{24,}+
adyen-key aqe {NEW}AQE{ALNUM}{60,}+-[A-Za-z0-9+/=]{20,}+-[!-~]{10,24}
okta-token/block ssws (?i:ssws)[ \t]+(00{SAFE}{40})
"""
"""A row for each token: its name, with `/block` or `/search` where it is not matched as a token or
not at a keyword; its keywords; its pattern, which may go on in indented lines."""


def _read_tokens() -> Iterator[Rule]:
    table = _TABLE.strip().replace("\n    ", "\t")
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
