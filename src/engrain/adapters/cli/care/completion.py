"""`engrain completion`: print a completion script for your shell."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.main import build_parser
from engrain.adapters.cli.options import (
    Command,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    envelope,
)

_SHELLS = ("bash", "zsh", "tcsh")


def _completion_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="the shell to complete in")


def _completion(args: argparse.Namespace, console: Console) -> int:
    import shtab

    script: str = shtab.complete(build_parser(), shell=args.shell)
    if console.as_json:
        console.write_json(envelope("completion", {"shell": args.shell, "script": script}))
    else:
        console.write_lines([script])
    return EXIT_OK


COMMANDS = {
    "completion": Command(
        _completion_arguments,
        _completion,
        "engrain completion bash > ~/.local/share/bash-completion/completions/engrain",
        'engrain completion zsh > "${fpath[1]}/_engrain"',
    ),
}
