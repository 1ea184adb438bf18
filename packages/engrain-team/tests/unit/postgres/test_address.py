"""Addresses of namespaces, and what of libpq they may not say."""

from __future__ import annotations

import pytest

from engrain.model.errors import UsageError
from engrain_team.postgres.address import connection_options, parse_address


def test_an_address_has_a_host_a_database_and_a_namespace() -> None:
    address = parse_address("postgres://ann@db.example:5433/memory?namespace=team")
    assert (address.hosts, address.database) == ((("db.example", 5433),), "memory")
    assert (address.user, address.namespace) == ("ann", "team")
    assert address.server == "postgres://ann@db.example:5433/memory"


def test_the_host_may_be_the_folder_of_a_socket_or_a_numbered_address() -> None:
    assert parse_address("postgres://%2FVar%2Frun/memory?namespace=n").hosts == (
        ("/Var/run", None),
    )
    six = parse_address("postgres://[::1]:5433/memory?namespace=n")
    assert six.hosts == (("::1", 5433),)


def test_several_hosts_are_a_primary_and_replicas() -> None:
    address = parse_address("postgres://ann@db1:5433,db2,[::1]:5434/memory?namespace=n")
    assert address.hosts == (("db1", 5433), ("db2", None), ("::1", 5434))
    writing = connection_options(address, {})
    assert (writing["host"], writing["port"]) == ("db1,db2,::1", "5433,,5434")
    assert writing["target_session_attrs"] == "read-write"
    assert writing["sslmode"] == "verify-full"
    one = parse_address("postgres://db1/memory?namespace=n")
    assert "target_session_attrs" not in connection_options(one, {})


@pytest.mark.parametrize(
    "text",
    [
        "postgres://ann:s3cret@db/memory?namespace=n",
        "postgres://ann:s3cret@db:5432/memory?namespace=n",
        "postgres://:s3cret@db/memory?namespace=n",
        "postgres://db/memory?namespace=n&password=s3cret",
        "postgres://db/memory?namespace=n&Password=s3cret",
        "postgres://db/memory?sslpassword=s3cret",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert "password" in caught.value.message
    assert "s3cret" not in f"{caught.value.message}{caught.value.remedy}{caught.value.path}"


@pytest.mark.parametrize(
    "text",
    [
        "postgres://db/memory",
        "postgres://db/memory?namespace=",
        "postgres://db/memory?namespace",
        "postgres:///memory?namespace=n",
        "postgres://db/?namespace=n",
        "postgres://db?namespace=n",
        "postgres:memory?namespace=n",
        "postgres://db:port/memory?namespace=n",
        "postgres://one,,two/memory?namespace=n",
        "postgres://one,/memory?namespace=n",
        "postgres://one%2Ctwo/memory?namespace=n",
        "postgres://one:1:2/memory?namespace=n",
        "postgres://db/memory?namespace=n&sslmode=disable",
        "postgres://db/memory?namespace=n&options=-c%20x",
        "postgres://db/memory?namespace=Team",
        "postgres://db/memory?namespace=a'b",
        "postgres://db/memory?namespace=a%00b",
        "postgres://db/memory?namespace=..",
        "postgres://db/memory?namespace=a/b",
        "postgres://db/memory?namespace=" + "n" * 64,
        "postgres://db/memory?namespace=n%0A",
        "postgres://d%00b/memory?namespace=n",
    ],
)
def test_what_is_no_address_is_reported_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert "\n" not in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("host", ["%2Ftmp", "localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_on_this_machine_nothing_is_asked_of_the_connection(host: str) -> None:
    address = parse_address(f"postgres://{host}/memory?namespace=n")
    assert "sslmode" not in connection_options(address, {})


@pytest.mark.parametrize("host", ["db.example", "10.0.0.7", "127.0.0.1.evil.example", "localhost."])
def test_elsewhere_the_server_must_show_its_certificate(host: str) -> None:
    address = parse_address(f"postgres://{host}/memory?namespace=n")
    assert connection_options(address, {})["sslmode"] == "verify-full"
    assert "sslmode" not in connection_options(address, {"PGSSLMODE": "require"})
