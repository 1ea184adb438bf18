"""Recognises a vault whose id file is lost, so that its key and this device's state count again."""

from __future__ import annotations

import os
from itertools import islice

from engrain.backends import segments
from engrain.model.errors import EngrainError
from engrain.model.history.line import open_line
from engrain.seam.storage import Attestor, BackendRequest

_MOST = 200
"""The most records of each chain that are tried with each key."""


def recognise(root: int, request: BackendRequest) -> str:
    """Return the id of the vault whose history is in the folder `root`: that of the key with which
    its records were made, else that under which this device keeps the state of the folder. Return
    "" if there is no history, or nothing here knows it."""
    devices = segments.list_devices(root)
    for vault in request.attestor.vaults() if devices else ():
        if any(_bears(root, device, vault, request.attestor) for device in devices):
            return vault
    known = _list_known(root, request.state or "") if request.device in devices else []
    return known[0] if len(known) == 1 else ""


def _bears(root: int, device: str, vault: str, attestor: Attestor) -> bool:
    """Whether a record of a device was made with a vault's key."""
    try:
        for link in islice(segments.read_chain(root, device, None, past_gaps=True), _MOST):
            message, code = open_line(link.line)
            if code and attestor.holds(vault, message, code):
                return True
    except (EngrainError, OSError):
        return False  # damaged: another chain may tell
    return False


def _list_known(root: int, state: str) -> list[str]:
    """List the ids of the vaults that this device knew in the folder."""
    found = os.fstat(root)
    suffix = f"-{found.st_dev:x}-{found.st_ino:x}"
    try:
        names = os.listdir(state)
    except OSError:
        return []
    return [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
