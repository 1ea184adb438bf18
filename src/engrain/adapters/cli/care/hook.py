"""`engrain hook`: what a host runs at its events. Run as such it is answered without the command
line, see `engrain.__main__`; this is its help."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import BaseCommand, argument, option
from engrain.adapters.hooks.answers import BUDGETS, CONTEXTS
from engrain.adapters.hooks.main import run


@dataclass(kw_only=True)
class HookCommand(BaseCommand):
    """Handle one event of a host (hosts run this)."""

    examples = """
engrain setup claude-code   # has a host run it
echo '{"session_id": "a1", "prompt": "why does the pooler drop statements?"}' | \
engrain hook prompt --host claude-code
"""
    event: str = argument(", ".join(BUDGETS), "EVENT")
    host: str = option(", ".join(CONTEXTS), "HOST", required=True)

    def run(self) -> int:
        names = ("vault", "state_dir", "backend", "project")
        given = {name: getattr(self, name) for name in names}
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value]
        run([self.event, f"--host={self.host}", *flags])


COMMAND = HookCommand
