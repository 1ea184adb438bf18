"""`engrain hook`: what a host runs at its events. Run as such it is answered without the command
line, see `engrain.__main__`; this is its help."""

from __future__ import annotations

from engrain.adapters.cli.options import Arguments, Command
from engrain.adapters.hooks.answers import BUDGETS, CONTEXTS
from engrain.adapters.hooks.main import run


def _run(args: Arguments) -> int:
    names = ("vault", "state_dir", "backend", "project")
    given = {name: getattr(args, name) for name in names}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value]
    run([args.event, f"--host={args.host}", *flags])


COMMAND = Command(
    _run,
    f"""
event=EVENT   {", ".join(BUDGETS)}
--host HOST!  {", ".join(CONTEXTS)}
$ engrain setup claude-code   # has a host run it
$ echo '{{"session_id": "a1", "prompt": "why does the pooler drop statements?"}}' | \
engrain hook prompt --host claude-code
""",
    opens=None,
)
