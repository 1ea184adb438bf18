"""Texts without a secret: lines of real code and prose, and what only looks like a secret."""

from __future__ import annotations

import sysconfig
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import UUID

from engrain.model.note.note import make_id
from support.secret_kinds import HEX, draw

_PROJECT = Path(__file__).parent.parent.parent
_LONGEST_FILE = 400_000
_SHORTEST_LINE = 15
_SECRET_BY_DESIGN = ("test_netrc", "test_urllib2", "authlib", "secret", "fixture", "keycert")
"""Files whose examples are passwords and tokens, made up, but of the real form."""


def code_lines(random: Random, most: int) -> list[str]:
    """Lines of the standard library and of what is installed beside it."""
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"])]
    files = [file for root in roots for file in root.rglob("*.py") if _is_plain(file)]
    return _draw_lines(random, files, most)


def document_lines(random: Random, most: int) -> list[str]:
    """Lines of this project's own documents and code."""
    folders = (_PROJECT / "docs", _PROJECT / "src")
    files = [file for folder in folders for file in folder.rglob("*") if _is_plain(file)]
    return _draw_lines(random, files, most)


def _is_plain(file: Path) -> bool:
    right = file.suffix in (".py", ".md") and file.is_file()
    return (
        right
        and file.stat().st_size < _LONGEST_FILE
        and not any(part in str(file) for part in _SECRET_BY_DESIGN)
    )


def _draw_lines(random: Random, files: list[Path], most: int) -> list[str]:
    files = sorted(files)
    random.shuffle(files)
    found: dict[str, None] = {}
    for file in files:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        lines = [line for line in lines if len(line) >= _SHORTEST_LINE]
        # Some of each file, so that many files are drawn from.
        found |= dict.fromkeys(random.sample(lines, min(len(lines), 40)))
        if len(found) >= most:
            break
    return list(found)[:most]


def lookalikes(random: Random, rounds: int) -> Iterator[str]:
    """Hashes, ids, data and names that have the letters of a secret and are none."""
    for _ in range(rounds):
        commit, digest = draw(random, ((HEX, 40),)), draw(random, ((HEX, 64),))
        data = b64encode(random.randbytes(64)).decode()
        identity = str(UUID(int=random.getrandbits(128), version=4))
        entry = make_id(1_790_000_000.0, random.randbytes(10))
        name = "_".join(random.sample(_WORDS, 5))
        path = "/".join(random.sample(_WORDS, 4))
        number = random.randrange(1000, 99999)
        url64 = urlsafe_b64encode(random.randbytes(24)).decode()
        yield from (
            f"commit {commit}",
            f"Fixed in {commit[:10]}, which reverts {commit}.",
            f"Merge branch '{name}' of github.com:team/repo into {commit[:7]}",
            f"index {commit[:8]}..{digest[:8]} 100644",
            f"sha256:{digest}",
            f"image: registry.test/{path}@sha256:{digest}",
            f'"integrity": "sha512-{data}{data[:24]}=="',
            f"    --hash=sha256:{digest} \\",
            f'checksum = "{digest}"',
            f'resolved "https://registry.test/{path}/-/{name}-{number}.tgz#{commit}"',
            f"The request {identity} failed twice.",
            f"request_id={identity} status=500 took={number}ms",
            f"Derived from [[{entry}]], which {entry} replaces.",
            f"![chart](data:image/png;base64,iVBORw0KGgo{data})",
            f"src: url(data:font/woff2;base64,d09GMg{data})",
            f"def test_{name}_is_kept() -> None:",
            f"tests/unit/{path}/test_{name}.py::test_{name}_{number} PASSED",
            f"/home/deploy/{path}/{name}-{number}.log",
            f"https://docs.test/{path}/{name}?page={number}#section-{number}",
            f'ETag: W/"{commit[:32]}"',
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{data[:44]} deploy@build",
            f"cache key: orders/{number}/{commit[:12]}",
            f"primary_key: {name}_{number}",
            f"The token budget is {number}; max_tokens={number}, tokens used: {number}.",
            f"tokenizer: o{number}k_base, token_type: Bearer, token_count={number}",
            f"trace={digest[:32]} span={digest[:16]}",
            f"docker run -d --name {name} -p {number}:80 {path}:v{number}",
            f"The password policy asks for {number} bits and {name.replace('_', ' ')}.",
            f"password_hash_rounds = {number}; secret_name: {name.replace('_', '-')}",
            f"-----BEGIN CERTIFICATE-----\n{data}\n-----END CERTIFICATE-----",
            f"session {identity} ended after {number} turns",
            f"blob {url64[:8]} has {number} rows in {path}",
        )


_WORDS = (
    "user", "orders", "engine", "index", "reader", "token", "session", "access", "value", "writer",
    "vault", "recall", "history", "daily", "config", "client", "server", "queue", "batch", "record",
)  # fmt: skip


PROSE = r"""
In the form, type your **password** and the **6-digit code** from the app.
Enter the *passphrase* and then *twice-checked* again.
- [decision] Chose bcrypt2 for passwords #security (see the review)
- Rotate passwords yearly #ops/quarterly #team_b
The passphrase lives elsewhere), so `charts/stage.yaml` is **committed** (sealed) and no
The message (`request.token` = `room:member:<id>`) may be repeated.
The header `auth.token` = `scope:<name>:<id>` is built by the proxy.
PYTHONPATH=$PWD python3.11 -m pytest -k tests2
export OLDPWD=$PWD; cd "$PWD"/build2 && make -j4
docker run -v $PWD:/app2 -w /app2 node:20-alpine npm ci
def unlock(password, pepper=None, attempts=100000):
def login(user, password, *, timeout=30.5, retries=3):
create_key(passphrase=None, bits=4096, cipher="aes-256-cbc")
A second pass keeps `"application/json; charset=utf-8"` as it was.
The first pass -> `normalize(text="Intro", level=2)` runs alone.
| Rounding differs between the two engines | PASS | `"cart-total-v2"` is the case |
| login with expired session | PASS | took 120ms |
| PASS | tests/unit/test_models2.py::TestLogin |
PASS: render/pr10234-2b
PASS: unwind4 (x86-64, static-pie)
PASS tests/api/users_v2_test.go:118 in 0.4s
--- PASS: TestOAuth2Callback (0.02s)
2 tests pass: `reindex(kind="Daily", since=2024)` and the smoke test
4. **Look** whether the older ones pass: `check(mode="Strict")`
lib/forms/password-field.ts:88: * @param {Options} options2 what it shows
app/models/password_reset.rb:12: @deprecated use Reset2 instead
components/PasswordInput.vue:7:1: error @typescript-eslint/no-unused2
See https://github.com/acme/token-tools/commit/9fceb02d0ae598e95dc970b74767f19372d61af8
secrets moved in https://gitlab.com/acme/vault/-/commit/1f7a7a472abf3dd9643fd615f6da379c4acb3e3a
The secret was removed in 9fceb02d0ae598e95dc970b74767f19372d61af8.
Signing key fingerprint: 1234 5678 9ABC DEF0 1234 5678 9ABC DEF0 1234 5678
password = os.environ["DB_PASSWORD"]
password = os.environ.get("DB_PASSWORD", "")
token = process.env.API_TOKEN || config.get("api.token")
api_key: ${{ secrets.DEPLOY_KEY }}
api_key: "{{ vault_api_key }}"
token: <your-token>
token: YOUR_ACCESS_TOKEN
password: ********
password: changeme
DB_PASSWORD=${DB_PASSWORD:?missing}
DB_PASSWORD=$(pass show db/staging)
PASSWORD=`cat /run/secrets/db`
secret = Secret.from_name("modal2-keys")
token = jwt.encode(payload, key2, algorithm="HS256")
token = self._tokens.pop(0)
my $token = $self->next_token($line2);
my ($user, $pass) = @{$args}{qw(user2 pass2)};
$pass = $ftp->pass;
$password = $request->input('password2');
const token = await getToken({ scope: "read2" });
let secret = Secret::new(b"..".to_vec());
@password_required(min_length=8)
if (!password) return res.status(401).json({ error: "missing2" });
const [password, setPassword] = useState<string | null>(null);
<input type="password" id="login2-password" class="form2-control">
<a href="#reset-password-2fa">Reset your password</a> <code id="auth2-token">auth</code>
printf(&quot;Password is wrong2.&quot;);
{ psk: &#x3C;Buffer2|TypedArray>, identity: &#x3C;string> }
The token stream is `IDENT2 OP NUMBER4` and then `EOF`.
Tokens: `[CLS]`, `[SEP]` and `[MASK]` of `bert-base-uncased`, then `gpt2-medium`.
The token count rose to 128k, and max_tokens=4096 stays.
Tokenizer: `o200k_base`; tokens per word 1.3.
"usage":{"output_tokens":4},"requestId":"req_011AbCdEfGhJkLmNpQrStUvW"
"token_type":"Bearer","traceId":"4bf92f3577b34da6a3ce929d0e0e4736"
Authentication: OAuth2ClientCredentials, PKCS8PrivateKeyInfo and X509CertificateBuilder
The secret to fast2read code is naming.
Pre-shared keys use chacha20-poly1305@openssh.com or curve25519-sha256.
Crack the hash of an archive's password:

`rar2john file.rar`
Open the password manager:

`keepassxc2 database.kdbx`
What is the password? default? or empty?
The user's password[^2] is never stored.[^note3]
See [Reset of passwords][reset2] and [Keys of hosts][hosts3].
The password field (#18234) is fixed by PR#18301, see also GH-1822.
s/password/passphrase2/g in vim
Mail admin2@example.test for the password, or ask in #it-help2.
Type the password at login@host2.example.test's prompt.
this password that many more users have used with each file
""".strip("\n").split("\n")  # fmt: skip
"""Lines of documents and of code, made up after what was replaced wrongly in real ones."""
