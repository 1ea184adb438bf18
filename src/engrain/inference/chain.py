"""The chain of embedders, in the order in which they are tried (S1.18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.inference.embedders import StubLink
from engrain.inference.local import MINILM, MULTILINGUAL, LocalLink, PackagedModel
from engrain.inference.pieces import PiecesLink
from engrain.model.errors import ConfigError
from engrain.seam.embedder import Embedder, EmbedderLink

LINKS = ("api", MINILM.link, MULTILINGUAL.link, "static", "stub")
NONE = "none"
AUTO = "auto"
"""An API if its address is set, then what is installed; the stub only if it is named."""
API_TIMEOUT_S = 30.0
"""Seconds for one request."""


@dataclass(slots=True)
class EmbedderSettings:
    """The configured embedders; paths are absolute.

    `chain` is auto, none, or links separated by commas. `url` and `model` are those of an API,
    `key_variable` the environment variable with its key. `folder` has a local ONNX model.
    `models` is the device-local folder that remembers checksums of models.
    """

    chain: str = AUTO
    _: KW_ONLY
    models: str | None = None
    url: str | None = None
    model: str | None = None
    key_variable: str | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes the embedders with large libraries. `make_api` takes the url, the model, the key
    and the seconds for a request; `open_local` the model's folder, that of checksums and which
    packaged model it is."""

    make_api: Callable[[str | None, str | None, str | None, float], EmbedderLink]
    open_local: Callable[[str | None, str | None, PackagedModel], Embedder]


def make_chain(
    settings: EmbedderSettings, environ: Mapping[str, str], makers: Makers
) -> list[EmbedderLink]:
    """Return the links in order, not opened yet; `missing` of each says whether it can be used.
    Raises ConfigError for an unknown name."""
    names = [name.strip() for name in settings.chain.split(",") if name.strip()]
    if names == [NONE]:
        return []
    if names == [AUTO]:
        names = [name for name in LINKS[:-1] if name != "api" or settings.url]
    for name in names:
        if name not in LINKS:
            raise ConfigError(
                f"no embedder is named {name[:60]!r}",
                remedy=f"set embedder to {AUTO}, {NONE} or some of: {', '.join(LINKS)}",
            )
    return [_make_link(name, settings, environ, makers) for name in dict.fromkeys(names)]


def require_one(chain: str, links: Sequence[EmbedderLink]) -> None:
    """Raise ConfigError if a chain names embedders and none of them can run on this device."""
    if chain == AUTO or not links:
        return
    lost = [(link.name, link.missing()) for link in links]
    if all(reason for _, reason in lost):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in lost)
        raise ConfigError(
            f"embedder is {chain}, which can't run: {reasons}",
            remedy=f"set up what is missing, or set embedder to {AUTO} or {NONE}",
        )


def _make_link(
    name: str, settings: EmbedderSettings, environ: Mapping[str, str], makers: Makers
) -> EmbedderLink:
    if name == "api":
        key = environ.get(settings.key_variable) if settings.key_variable else None
        return makers.make_api(settings.url, settings.model, key, API_TIMEOUT_S)
    if name == MINILM.link:
        return LocalLink(settings.folder, settings.models, makers.open_local)
    if name == MULTILINGUAL.link:
        return LocalLink(None, settings.models, makers.open_local, MULTILINGUAL)
    return PiecesLink() if name == "static" else StubLink()
