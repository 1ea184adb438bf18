"""An issuer of tokens on this machine, and certificates that it would accept: real HTTP, real
signatures."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import secrets
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

CLIENT, SECRET = "engrain-server", "s3cret of the server"
SCOPES = "memory:read memory:write"


class Issuer:
    """Answers on a free port of this machine, for the length of a block: its keys at `/jwks`, at
    `/introspect` what it knows of a token, to who has its secret, and tokens for clients that
    register themselves and prove by PKCE that they asked (OAuth 2.1)."""

    def __init__(self) -> None:
        self.keys = {"rsa": _rsa(), "ec": ec.generate_private_key(ec.SECP256R1())}
        self.known: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.claims: dict[str, object] = {}
        """What the tokens that clients get say otherwise."""
        self._clients: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                place = urlsplit(self.path)
                if place.path == "/authorize":
                    self.send_response(302)
                    self.send_header("Location", issuer.authorize(dict(parse_qsl(place.query))))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif place.path.startswith("/.well-known/"):
                    found = place.path.endswith("/oauth-authorization-server")
                    self._answer(200 if found else 404, issuer.describe() if found else {})
                else:
                    self._answer(200, {"keys": issuer.list_keys()})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                issuer.asked.append(self.path)
                if self.path == "/register":
                    self._answer(201, {**json.loads(body), "client_id": issuer.register()})
                elif self.path == "/token":
                    self._answer(*issuer.redeem(dict(parse_qsl(body))))
                else:
                    self._introspect(parse_qs(body))

            def _introspect(self, asked: dict[str, list[str]]) -> None:
                expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
                if self.headers["Authorization"] != expected:
                    self._answer(401, {})
                else:
                    known = issuer.known.get(asked["token"][0])
                    self._answer(200, {"active": True, **known} if known else {"active": False})

            def _answer(self, status: int, value: object) -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Issuer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def describe(self) -> dict[str, object]:
        """What clients find of this server of authorization (RFC 8414)."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": SCOPES.split(),
        }

    def register(self) -> str:
        """A new client's id (RFC 7591)."""
        self._clients.append(secrets.token_hex(8))
        return self._clients[-1]

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser of a person goes who permits what a client asks for."""
        assert asked["client_id"] in self._clients
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return f"{asked['redirect_uri']}?{back}"

    def redeem(self, asked: dict[str, str]) -> tuple[int, dict[str, object]]:
        """The token for a code, which is good once and for who can prove to have asked for it
        (RFC 7636); it is for the resource that was named (RFC 8707)."""
        given = self._codes.pop(asked.get("code", ""), None)
        proof = _encode(sha256(asked.get("code_verifier", "").encode()).digest()).decode()
        same = ("client_id", "redirect_uri", "resource")
        if given is None or proof != given["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if any(asked.get(name) != given.get(name) for name in same):
            return 400, {"error": "invalid_target"}
        scope = given.get("scope", SCOPES)
        more = {"client_id": asked["client_id"], "scope": scope, **self.claims}
        token = self.issue(asked["resource"], **more)
        told = {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": scope}
        return 200, told

    def list_keys(self) -> list[dict[str, str]]:
        """The public keys, as JWKs."""
        one = self.keys["rsa"].public_key().public_numbers()
        other = self.keys["ec"].public_key().public_numbers()
        return [
            {"kty": "RSA", "kid": "rsa", "use": "sig", "n": _number(one.n), "e": _number(one.e)},
            {
                "kty": "EC", "crv": "P-256", "kid": "ec", "use": "sig",
                "x": _number(other.x, 32), "y": _number(other.y, 32),
            },
        ]  # fmt: skip

    def claim(self, audience: str, **more: object) -> dict[str, Any]:
        """The claims of a token that is good for an hour; a claim that is None is left out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "sub": "ann",
            "client_id": "coder",
            "aud": audience,
            "iat": now,
            "exp": now + 3600,
            "scope": SCOPES,
            **more,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def sign(self, claims: dict[str, Any], *, algorithm: str = "RS256", key: Any = None) -> str:
        """A JWT with these claims."""
        kid = "ec" if algorithm == "ES256" else "rsa"
        header = {"alg": algorithm, "kid": kid, "typ": "at+jwt"}
        text = b".".join(_encode(json.dumps(part).encode()) for part in (header, claims))
        if algorithm == "none":
            return f"{text.decode()}."
        if algorithm == "HS256":
            import hmac

            signature = hmac.digest(key, text, "sha256")
        elif algorithm == "ES256":
            raw = (key or self.keys["ec"]).sign(text, ec.ECDSA(hashes.SHA256()))
            signature = b"".join(part.to_bytes(32, "big") for part in decode_dss_signature(raw))
        else:
            signature = (key or self.keys["rsa"]).sign(text, padding.PKCS1v15(), hashes.SHA256())
        return b".".join((text, _encode(signature))).decode()

    def issue(self, audience: str, **more: object) -> str:
        """A token that is good for an audience, whatever claims say otherwise."""
        return self.sign(self.claim(audience, **more))


def make_key() -> Any:
    """A key that no issuer has."""
    return _rsa()


def make_certificate(folder: Path, *addresses: str) -> tuple[Path, Path]:
    """A certificate of this machine, at these addresses too, and its key, in PEM; it vouches for
    itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    reached = [ipaddress.ip_address(one) for one in ("127.0.0.1", *addresses)]
    names = [x509.DNSName("localhost"), *map(x509.IPAddress, reached)]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    places = folder / "server.pem", folder / "server.key"
    places[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    places[1].touch(mode=0o600)
    places[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return places


def _rsa() -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _number(value: int, size: int = 0) -> str:
    return _encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big")).decode()


def _encode(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")
