"""Whether Engrain may learn from the transcripts of sessions: asked once, by `setup`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.cli.options import Arguments
from engrain.adapters.hosts.table import HOSTS, Host
from engrain.adapters.present.records import Data
from engrain.resolution.config_file import set_value
from engrain.resolution.settings import Setting, load_settings, user_config_file
from engrain.resolution.sources import HOSTS as KEEPERS

LEARN = "transcripts.learn"
UNASKED = "default"
"""Where the setting comes from if nobody was asked."""
OPTION = f"""
--learn <yes|no>  learn from sessions ({LEARN}); else you are asked once, in a terminal
"""
_READ = "Learning reads transcripts of {} on this device, after a turn and at a session's end."
_KEPT = (
    "It keeps tasks with their errors and fixes, what you state, facts and a line per session in"
    " the daily note: never a transcript, and no secrets."
)
_OFF = (
    "Nothing is sent anywhere, unless you configured a language model."
    f" `engrain config set {LEARN} off` ends it."
)
_VALUES = {"yes": "on", "no": "off"}
_QUESTION = "Learn from sessions? [y/N]"
_NOT_ASKED = "not asked: Engrain does not learn from sessions until `--learn yes` is given"


def read_agreement() -> Setting:
    """The setting, and where it comes from: "default" where nobody was asked."""
    return load_settings({}, os.environ, os.getcwd())[LEARN]


def agree_to_learn(
    args: Arguments, hosts: Sequence[Host], console: Console
) -> tuple[Data, list[str]]:
    """Set whether Engrain learns, by the option, else by what a person says who was not asked
    before: (what holds now, lines). Without a person nothing is set, which means no. Raises
    ConfigError."""
    setting = read_agreement()
    said: str | None = args.learn
    lines: list[str] = []
    if said is None and setting.origin == UNASKED and any(host.name in KEEPERS for host in hosts):
        lines, said = _ask_person(args, console)
    elif said == "yes":
        lines = _say()
    if said is None:
        return {"on": setting.value == "on", "asked": setting.origin != UNASKED}, lines
    value = _VALUES[said]
    would = "would be" if args.dry_run else "is"
    path = user_config_file(os.environ) if args.dry_run else set_value(os.environ, LEARN, value)
    return {"on": value == "on", "asked": True}, [*lines, f"{LEARN} {would} {value}, by {path}"]


def _ask_person(args: Arguments, console: Console) -> tuple[list[str], str | None]:
    """Lines that remain to be said, and the answer, None where nobody is there to give one."""
    if args.dry_run or not has_person(console):
        return [*_say(), _NOT_ASKED], None
    console.write_lines(_say())
    return [], "yes" if ask(console, _QUESTION) else "no"


def _say() -> list[str]:
    """What is read, of whichever hosts are wired, now or later; what is kept; how to end it."""
    *others, last = [HOSTS[name].title for name in KEEPERS]
    return [_READ.format(f"{', '.join(others)} and {last}"), _KEPT, _OFF]
