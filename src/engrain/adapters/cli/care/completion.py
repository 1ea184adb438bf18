"""`engrain completion`: print a completion script for your shell."""

from __future__ import annotations

import shtab

from engrain.adapters.cli.helping import build_parser
from engrain.adapters.cli.options import Answer, Arguments, Command


def _completion(args: Arguments) -> Answer:
    script: str = shtab.complete(build_parser(), shell=args.shell)
    return {"shell": args.shell, "script": script}, [script]


COMMAND = Command(
    _completion,
    """
shell=<bash|zsh|tcsh>  the shell to complete in
$ engrain completion bash > ~/.local/share/bash-completion/completions/engrain
$ engrain completion zsh > "${fpath[1]}/_engrain"
""",
    opens=None,
)
