"""The settings: their names, defaults and meanings, and functions that read their values."""

from __future__ import annotations

from collections.abc import Mapping

from engrain.model.errors import ConfigError


class SettingKey:
    """One setting: its name, default and meaning, and whether a project file may set it. A name
    with a dot is in a table of the file: `decay.sessions` is `sessions` in `[decay]`."""

    __slots__ = ("default", "in_project", "meaning", "name")

    def __init__(self, line: str) -> None:
        """Parse a line of the table."""
        said, _, self.meaning = line.partition("  ")
        name, sets, default = said.partition("=")
        self.default = default if sets else None
        self.in_project = name[-1] == "*"
        self.name = name[:-1] if self.in_project else name

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "ENGRAIN_" + self.name.upper().replace(".", "_")


_TABLE = """
vault  the vault's folder
backend=auto  which backend keeps the vault; auto looks at the folder
state_dir  where this device keeps its index and notes
agent=  the name of the agent that writes
memory*=on  whether agents have a memory here: on, off; a project file can only switch it off
projects.off  folders in which no hook gives or learns anything, with commas between them
project*  the current project; else the git repository around
profile*  the recall profile; prompt by default
budget*  the token budget of a recall; else the profile's
embedder=auto  embedders in order: api, local, local-multilingual, static, stub; or auto, none
embedder_url  the address of an OpenAI-compatible embedding API
embedder_model  the embedding model to ask the API for
embedder_key_variable  the environment variable that holds the API's key
embedder_folder  a folder with model.onnx and vocab.txt
redact=on  replace secrets by a placeholder before writing: on, off
edits=mine  edits in an editor or another program are: mine, ask (held for review), external
operator.name=  the operator's name, for facts about the operator
personal.root  the folder of the operator's personal notes; none by default
session.limit=100  most entries given to one session
session.prompts=on  in a project a prompt's beginning may become the goal of CONTINUITY.md: on, off
decay.sessions=7  sessions without a recall before an entry may fade
decay.weight=0.6  weight from which an entry does not fade
decay.recalls=5  recalls from which an entry does not fade
decay.min_days=30  days without a recall before which nothing fades
archive.t3=auto  archive faded entries (auto), or propose it (stage)
consolidate.confidence=0.8  least confidence of a saved pattern
heat.window=20  number of recent sessions counted for heat
heat.hits=5  sessions with a hit from which an entry is hot
heat.cold=2  sessions with a hit below which an entry is cold
heat.floor=3  least number of promoted entries, even if cold
heat.tokens=400  most tokens of all promoted entries
staging.days=30  days after which a proposal expires
staging.weekly=5  most proposals a week of jobs that run by themselves
inbox.days=30  days after which an unconfirmed inbox entry is archived
learn=no  who judges what agents' sessions teach: rules, agent, model, no (see `setup`)
judge.client  the host whose client judges with `learn = agent`; else that of the session
judge.sessions=20  most sessions a day that an agent or a model judges
judge.tokens=100000  most tokens a day for that, input and output together
transcripts.episodes=on  file the tasks of sessions as episodes: on, off
transcripts.facts=on  extract facts from what you said: on, off
transcripts.daily=on  add a line per session to the daily note: on, off
episodes.full_days=7  days for which an episode is kept in full
episodes.summary_days=30  days after which an episode without references is archived
synthesis.days=7  days between two syntheses
dream.days=7  days between two dreams
jobs.minutes=30  minutes between two rounds of jobs
llm_url  the address of a language model's server; none by default
llm_model  the language model's name
llm_key_variable  the environment variable that holds the key
llm.cap_tokens=200000  most tokens a day, input and output together
remote.url  the remote server that hooks and tools ask; by default this device's vault
remote.token_file  the file, of mode 600, with the token for it
remote.token_command  a command that prints a new token, for the end of each turn
remote.ca_file  the authority of its certificate, in PEM; else the system's
remote.learn=no  whether what sessions teach is sent to it: yes, no (see `setup`)
"""
"""A setting a line: its name, a `*` if a project file may set it, its default behind `=`, and its
meaning."""

PACKAGED = "serve."
"""The beginning of the settings of the package `engrain-team`, which Engrain reads past."""
KEYS = {key.name: key for key in map(SettingKey, _TABLE.strip().splitlines())}


def read_value(settings: Mapping[str, str | None], name: str) -> str:
    """Return the value of a setting, else its default, "" if it has none."""
    return settings.get(name) or KEYS[name].default or ""


def read_choice(settings: Mapping[str, str | None], name: str, *choices: str) -> str:
    """Return a setting that must be one of some words. Raises ConfigError."""
    value = read_value(settings, name)
    if value not in choices:
        known = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise ConfigError(f"{name} is {value[:40]!r}, not {known}")
    return value


def read_count(settings: Mapping[str, str | None], name: str, digits: int = 9) -> int:
    """Return a setting that must be a whole number of at most `digits`. Raises ConfigError."""
    value = read_value(settings, name)
    if value.isascii() and value.isdigit() and len(value) <= digits:
        return int(value)
    raise ConfigError(f"{name} is {value[:40]!r}, not a whole number from 0 up")


def read_number(settings: Mapping[str, str | None], name: str, most: float = 1e9) -> float:
    """Return a setting that must be a number from 0 to `most`. Raises ConfigError."""
    value = read_value(settings, name)
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        upto = "up" if most > 1 else f"to {most:g}"
        raise ConfigError(f"{name} is {value[:40]!r}, not a number from 0 {upto}")
    return number


def read_session_limit(settings: Mapping[str, str | None]) -> int:
    """Return the most entries that one session is given (S3.9). Raises ConfigError."""
    return read_count(settings, "session.limit")
