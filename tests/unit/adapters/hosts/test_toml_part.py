"""Codex's table of servers: added, renewed and cut out, comments kept."""

from __future__ import annotations

import tomllib

import pytest

from engrain.adapters.hosts.toml_part import ServerTable

SERVER = {"command": "/opt/my tools/engrain", "args": ["mcp", "--stdio"]}
PART = ServerTable(SERVER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '# mine\nmodel = "o"  # this one\n\n[mcp_servers.other]\ncommand = "x"\n',
        'model = "o"',
        '\ufeffmodel = "é"\r\n[a]\r\nb = 1\r\n',
    ],
)
def test_the_table_is_added_once_and_cut_out_exactly(text: str) -> None:
    added = PART.add(text)
    assert added.startswith(text)
    assert tomllib.loads(added.removeprefix("\ufeff"))["mcp_servers"]["engrain"] == SERVER
    assert PART.add(added) == added
    assert PART.remove(added, text).rstrip() == text.rstrip()
    assert PART.remove(text, text) == text


def test_what_others_wrote_behind_it_stays() -> None:
    text = PART.add("a = 1\n") + "\n# about b\n[b]\nc = [\n  [1],\n]\n"
    assert PART.remove(text, None) == "a = 1\n\n# about b\n[b]\nc = [\n  [1],\n]\n"


def test_an_older_program_is_renewed_in_place_and_the_rest_of_the_table_kept() -> None:
    old = ServerTable({**SERVER, "command": "/old/engrain"}).add("") + "startup_timeout_sec = 9\n"
    new = PART.add(old)
    table = tomllib.loads(new)["mcp_servers"]["engrain"]
    assert table == {**SERVER, "startup_timeout_sec": 9}
    assert PART.remove(new, None) == ""


def test_variables_are_passed_on_beside_those_that_a_person_named() -> None:
    part = ServerTable(SERVER, ["ENGRAIN_VAULT"])
    assert PART.add(part.add("")) == part.add("")
    mine = part.add("").replace('["ENGRAIN_VAULT"]', '["MINE"]')
    for old in (PART.add(""), mine):
        new = part.add(old)
        table = tomllib.loads(new)["mcp_servers"]["engrain"]
        assert table.pop("env_vars")[-1] == "ENGRAIN_VAULT"
        assert table == SERVER
        assert part.add(new) == new
    assert '["MINE", "ENGRAIN_VAULT"]' in part.add(mine)


def test_a_table_inside_ours_goes_with_it() -> None:
    text = PART.add("a = 1\n") + '[mcp_servers.engrain.env]\nENGRAIN_VAULT = "/v"\n'
    assert PART.remove(text, None) == "a = 1\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [("a = \n", "line 1"), ('mcp_servers = { x = { command = "y" } }\n', "no table")],
)
def test_what_can_not_be_added_to_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        PART.add(text)


def test_a_server_that_a_person_reaches_by_its_address_is_theirs() -> None:
    text = '[mcp_servers.engrain]\nurl = "http://127.0.0.1:9/mcp"\n'
    assert PART.add(text) == text
    assert PART.remove(text, None) == text
