"""Codes of history records: HMAC-SHA256 under a vault's key."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.history.line import BLANK, GENESIS, VaultKey, open_line, seal_line
from engrain.model.history.record import (
    FileChange,
    Record,
    check_code,
    check_link,
    decode_record,
    encode_record,
)

SECRET = bytes(range(32))
KEY = VaultKey(SECRET)
OTHER = VaultKey(bytes(32))


def encode(key: VaultKey = KEY, **changes: object) -> tuple[bytes, bytes]:
    """A sealed record and its payload."""
    values: dict[str, object] = {"agent": "eng-001", "trust": "agent", **changes}
    files = [FileChange("Memory/fix/a.md", "01a", None, "h1", b"# A\n")]
    record = Record("laptop", 7, 12.5, "save", ["01a"], files, **values)  # type: ignore[arg-type]
    return encode_record(record, GENESIS, "salt", key.sign)


@given(secret=st.binary(max_size=200), message=st.binary(max_size=400))
def test_the_hash_is_that_of_the_standard_library(secret: bytes, message: bytes) -> None:
    assert VaultKey(secret).hash(message) == hmac.new(secret, message, hashlib.sha256).hexdigest()


@given(message=st.binary(max_size=100), other=st.binary(max_size=100))
def test_a_code_holds_for_its_message_and_key_alone(message: bytes, other: bytes) -> None:
    code = KEY.sign(message)
    assert KEY.holds(message, code)
    assert KEY.holds(other, code) == (other == message)
    assert not OTHER.holds(message, code)
    assert (KEY.claims(code), OTHER.claims(code)) == (True, False)


@pytest.mark.parametrize("code", ["", "é" * 72, KEY.mark, KEY.mark + "0" * 64])
def test_what_is_no_code_holds_for_nothing(code: str) -> None:
    assert not KEY.holds(b"message", code)


def test_a_line_without_a_key_is_left_as_it_is_and_bears_no_code() -> None:
    line = b'{"v":1}'
    assert seal_line(line, lambda _: "") == line
    assert open_line(line)[1] == ""


def test_a_sealed_line_is_json_with_the_code_as_its_last_key() -> None:
    line, _ = encode()
    bare, _ = encode_record(decode_record(*encode(), with_bytes=True), GENESIS, "salt")
    assert list(json.loads(line))[-1] == "mac"
    assert json.loads(line).items() >= json.loads(bare).items()
    message, code = open_line(line)
    assert message.endswith(bare)
    assert KEY.holds(message, code)


def test_the_message_of_a_record_is_that_of_no_text() -> None:
    message, _ = open_line(b'{"v":1}')
    assert b"\0" in message, "which no note has, so that no code made for one is a record's"


def test_a_sealed_record_is_read_and_linked_like_any_other() -> None:
    line, payload = encode()
    record = decode_record(line, payload)
    assert (record.change, record.trust, record.attested) == ("laptop-7", "agent", False)
    assert check_link(line, payload, GENESIS, 7) is None
    assert check_code(line, payload, KEY.holds, "laptop")


def test_a_code_vouches_for_the_payload_and_for_the_device_too() -> None:
    line, payload = encode()
    assert not check_code(line, payload.replace(b"h1", b"h2"), KEY.holds, "laptop")
    assert not check_code(line, BLANK, KEY.holds, "laptop")
    assert not check_code(line, payload, KEY.holds, "desktop")
    assert not check_code(line, payload, OTHER.holds, "laptop")


@given(st.data())
def test_no_byte_of_a_sealed_record_can_be_another(data: st.DataObject) -> None:
    line, payload = encode()
    place = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    forged = line[:place] + bytes([byte]) + line[place + 1 :]
    assert not check_code(forged, payload, KEY.holds, "laptop")


@pytest.mark.parametrize(
    "agent", ['","device":"desktop', '"device":"desktop"', '","mac":"' + "0" * 72, '"}']
)
def test_no_name_of_an_agent_passes_for_a_part_of_the_line(agent: str) -> None:
    line, payload = encode(agent=agent)
    assert decode_record(line, payload).agent == agent
    assert check_code(line, payload, KEY.holds, "laptop")
    assert not check_code(line, payload, KEY.holds, "desktop")
    unsigned, payload = encode_record(decode_record(line, payload), GENESIS, "salt")
    assert not check_code(unsigned, payload, KEY.holds, "laptop")
