"""How a remote server is configured, and what is refused before it listens."""

from __future__ import annotations

import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from engrain.adapters.mcp.singleton import listen_tcp
from engrain.adapters.present.failures import error_line
from engrain.model.errors import ConfigError, StorageError
from engrain.resolution.settings import load_packaged
from engrain_team.https.serving import load_certificate
from engrain_team.https.settings import KEYS, Remote, read_remote
from team.issuer import make_certificate
from unit.adapters.shell import Shell

GOOD = {
    "url": "https://memory.example/mcp",
    "issuer": "https://issuer.example",
    "jwks": "https://issuer.example/jwks",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def refuse(shell: Shell, *options: str) -> str:
    """What a server's refusal says, on its one line."""
    for name, value in GOOD.items():
        shell.environ[f"ENGRAIN_SERVE_{name.upper()}"] = value
    done = shell.run("serve", "--port", "0", *options)
    assert done.code in (1, 2), done.out
    assert done.err.count("\n") == 1
    return done.err


def read_pem(certificate: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(certificate.read_text())


def show(context: ssl.SSLContext) -> bytes | None:
    """The certificate that a server shows to a client which connects now."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(to_server, to_client, server_side=True)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    client = trusting.wrap_bio(to_client, to_server, server_hostname="localhost")
    for _ in range(2):
        for side in (client, server):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    return client.getpeercert(binary_form=True)


def read(**settings: str) -> Remote:
    environ = {f"ENGRAIN_SERVE_{name.upper()}": value for name, value in settings.items()}
    return read_remote(load_packaged(environ, KEYS))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": ""}, "serve.url is not set"),
        ({"url": "http://memory.example/mcp"}, "serve.url"),
        ({"url": "https://memory.example"}, "https://HOST/mcp"),
        ({"url": "https://memory.example/mcp?x=1"}, "https://HOST/mcp"),
        ({"url": "https://ann:word@memory.example/mcp"}, "serve.url"),
        ({"url": "https://memory.example:x/mcp"}, "serve.url"),
        ({"issuer": ""}, "serve.issuer is not set"),
        ({"issuer": "http://issuer.example"}, "serve.issuer"),
        ({"jwks": "http://issuer.example/jwks"}, "serve.jwks"),
        ({"jwks": "file:///etc/passwd"}, "serve.jwks"),
        ({"jwks": ""}, "serve.jwks or serve.introspection"),
        ({"introspection": "https://issuer.example/ask"}, "not both"),
        ({"jwks": "", "introspection": "https://issuer.example/ask"}, "serve.client_id"),
        ({"algorithm": "none"}, "serve.algorithm"),
        ({"algorithm": "HS256"}, "serve.algorithm"),
        ({"requests": "0"}, "serve.requests"),
        ({"kilobytes": "many"}, "serve.kilobytes"),
    ],
)
def test_a_setting_that_can_not_be_used_is_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(**{**GOOD, **settings})
    assert said in error_line(error.value)


def test_what_is_not_set_has_its_default() -> None:
    remote = read(**GOOD)
    trust = remote.trust
    assert (trust.audience, trust.algorithm) == (GOOD["url"], "RS256")
    assert (remote.limits.requests, remote.limits.bytes) == (120, 4 * 1024 * 1024)


class TestASecret:
    ASKING = {"jwks": "", "introspection": "https://issuer.example/ask", "client_id": "server"}

    @pytest.mark.parametrize(
        ("mode", "text", "said"),
        [
            (0o644, "s3cret", "others can read"),
            (0o660, "s3cret", "others can read"),
            (0o600, "", "no secret"),
            (0o600, "one\ntwo", "no secret"),
            (0o600, "sch\xf6n", "no secret"),
        ],
    )
    def test_that_is_none_or_not_private_is_refused(
        self, tmp_path: Path, mode: int, text: str, said: str
    ) -> None:
        path = tmp_path / "file"
        path.write_text(text, encoding="latin-1")
        path.chmod(mode)
        with pytest.raises(ConfigError) as error:
            read(**{**GOOD, **self.ASKING}, client_secret_file=str(path))
        assert said in error.value.message
        assert not text or text not in error_line(error.value)

    def test_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        path = str(tmp_path / "missing")
        with pytest.raises(ConfigError, match="can't be read"):
            read(**{**GOOD, **self.ASKING}, client_secret_file=path)

    def test_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.touch(mode=0o600)
        path.write_text("s3cret\n")
        found = read(**{**GOOD, **self.ASKING}, client_secret_file=str(path))
        assert found.trust.client_secret == "s3cret"


class TestACertificate:
    def test_is_needed(self, shell: Shell) -> None:
        assert "--tls-cert" in refuse(shell)

    def test_of_a_proxy_is_for_this_machine_alone(self, shell: Shell) -> None:
        assert "without TLS" in refuse(shell, "--behind-proxy", "--listen", "0.0.0.0")

    def test_has_to_have_its_key(self, shell: Shell) -> None:
        certificate, key = make_certificate(shell.folder)
        other = shell.folder / "other"
        other.mkdir()
        _, foreign = make_certificate(other)
        for one, two in (
            (certificate, foreign),
            (key, key),
            (certificate, shell.folder / "missing"),
            (shell.folder / "missing", key),
        ):
            with pytest.raises(ConfigError, match="can't be used"):
                load_certificate(str(one), str(two))

    def test_whose_key_everybody_can_read_is_refused(self, shell: Shell) -> None:
        certificate, key = make_certificate(shell.folder)
        key.chmod(0o644)
        with pytest.raises(ConfigError, match="everybody can read the key"):
            load_certificate(str(certificate), str(key))

    def test_that_was_renewed_is_shown_to_the_next_client(
        self, shell: Shell, capsys: pytest.CaptureFixture[str]
    ) -> None:
        former = make_certificate(shell.folder)
        context = load_certificate(*map(str, former))
        assert show(context) == read_pem(former[0])
        shown = read_pem(former[0])
        renewed = shell.folder / "renewed"
        renewed.mkdir()
        certificate, key = make_certificate(renewed)
        certificate.replace(former[0])  # its key is not there yet
        assert [show(context) for _ in range(2)] == [shown, shown]
        assert capsys.readouterr().err.count("can't be used") == 1
        key.replace(former[1])
        assert show(context) == read_pem(former[0]) != shown
        former[1].unlink()
        assert show(context) == read_pem(former[0])
        assert capsys.readouterr().err.count("\n") == 1


def test_a_project_file_can_set_none_of_it(shell: Shell) -> None:
    (shell.here / ".engrain.toml").write_text('[serve]\nissuer = "https://evil.example"\n')
    assert "may not set" in refuse(shell)


def test_an_address_of_another_machine_can_not_be_listened_on() -> None:
    with pytest.raises(StorageError, match="can't listen"):
        listen_tcp(0, "192.0.2.1")
