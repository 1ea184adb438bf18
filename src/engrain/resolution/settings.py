"""Settings and where each comes from: flag, environment, project file, user configuration (S1.22).

A project file travels with other people's code, so it may name the project, the profile and
budgets and nothing else: never a vault, a state folder, a backend or an endpoint.
"""

from __future__ import annotations

import os
import sys

from engrain.model.errors import ConfigError
from engrain.model.struct import Struct
from engrain.resolution.files import find_upwards, read_text, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from dataclasses import KW_ONLY

PROJECT_FILE = ".engrain.toml"
_TOO_MUCH = 10**18


class Key(Struct):
    """One setting: its environment variable, whether a project file may hold it, what it means. A
    name with a dot stands in a table of the file: `decay.sessions` is `sessions` in `[decay]`."""

    name: str
    meaning: str
    _: KW_ONLY
    in_project: bool = False
    default: str | None = None

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "ENGRAIN_" + self.name.upper().replace(".", "_")


KEYS = {
    key.name: key
    for key in (
        Key("vault", "the vault's folder"),
        Key("also", "other vaults that a recall asks too, with commas between them"),
        Key("shards", "servers that share the namespaces: NAME=HOST for each, by spaces"),
        Key("backend", "which backend keeps the vault; auto looks at the folder", default="auto"),
        Key("state_dir", "where this device keeps its index and notes"),
        Key("agent", "the name of the agent that writes", default=""),
        Key("project", "the current project; else git's common directory", in_project=True),
        Key("profile", "the recall profile; prompt by default", in_project=True),
        Key("budget", "the token budget of a recall; else the profile's", in_project=True),
        Key(
            "embedder",
            "embedders for recall: auto, none, or some of api, local, static, stub, in order",
            default="auto",
        ),
        Key("embedder_url", "the address of an embedding API (OpenAI-compatible, or Ollama)"),
        Key("embedder_model", "the embedding model to ask the API for"),
        Key("embedder_key_variable", "the environment variable that holds the API's key"),
        Key("embedder_folder", "a folder with model.onnx and tokenizer.json"),
        Key("embedder_static_folder", "a folder with token vectors"),
        Key("redact", "replace secrets by a placeholder before writing: on, off", default="on"),
        Key(
            "trust_edits",
            "edits by other programs outside Memory/ count as the operator's: true, false",
            default="true",
        ),
        Key("operator.name", "the operator's name, for facts about the operator", default=""),
        Key("personal.root", "the folder of the operator's personal notes; none by default"),
        Key("session.limit", "most entries given to one session", default="100"),
        Key(
            "session.prompts",
            "in a project a prompt's beginning may become the goal of CONTINUITY.md: on, off",
            default="on",
        ),
        Key("decay.sessions", "sessions without a recall before an entry may fade", default="7"),
        Key("decay.weight", "weight from which an entry does not fade", default="0.6"),
        Key("decay.recalls", "recalls from which an entry does not fade", default="5"),
        Key("decay.min_days", "days without a recall before which nothing fades", default="30"),
        Key("archive.t3", "archive faded entries (auto), or propose it (stage)", default="auto"),
        Key(
            "archive.summary",
            "how an archived entry is summarized: extract, llm",
            default="extract",
        ),
        Key("consolidate.hours", "hours of recent episodes to consolidate again", default="24"),
        Key("consolidate.confidence", "least confidence of a saved pattern", default="0.8"),
        Key(
            "recall.half_life",
            "days after which a fact counts half as much in a tiered recall",
            default="30",
        ),
        Key("heat.window", "number of recent sessions counted for heat", default="20"),
        Key("heat.hits", "sessions with a hit from which an entry is hot", default="5"),
        Key("heat.cold", "sessions with a hit below which an entry is cold", default="2"),
        Key("heat.floor", "least number of promoted entries, even if cold", default="3"),
        Key("heat.tokens", "most tokens of all promoted entries", default="400"),
        Key("staging.days", "days after which a proposal expires", default="30"),
        Key("inbox.days", "days after which an unconfirmed inbox entry is archived", default="30"),
        Key(
            "reflect.form",
            "how ended sessions are reflected on: rules, llm, or off (only on request)",
            default="rules",
        ),
        Key(
            "transcripts.learn",
            "learn from agents' sessions by their transcripts: on, off (`setup --learn` sets it)",
            default="off",
        ),
        Key(
            "transcripts.episodes", "file the tasks of sessions as episodes: on, off", default="on"
        ),
        Key("transcripts.facts", "extract facts from what you said: on, off", default="on"),
        Key("transcripts.daily", "add a line per session to the daily note: on, off", default="on"),
        Key("reflect.high", "confidence from which a statement is saved at once", default="0.8"),
        Key(
            "reflect.medium",
            "confidence from which a statement met in three sessions is proposed",
            default="0.5",
        ),
        Key("learn.relevance", "least relevance of a fetched item, from 0 to 1", default="0.6"),
        Key("learn.limit", "most candidates that one run fetches from a source", default="5"),
        Key(
            "learn.form",
            "how `learn run --query` answers: rules, or llm (which also summarizes)",
            default="rules",
        ),
        Key("episodes.full_days", "days for which an episode is kept in full", default="7"),
        Key(
            "episodes.summary_days",
            "days after which an episode without references is archived",
            default="30",
        ),
        Key("skills.repeats", "similar successful tasks that make a draft skill", default="3"),
        Key(
            "erase.backup_days",
            "days for which a database server keeps its backups, for `erase` to say when they end",
        ),
        Key("synthesis.days", "days between two syntheses", default="7"),
        Key(
            "synthesis.truncate_days",
            "days after which an outdated fact is shortened",
            default="182",
        ),
        Key("synthesis.form", "how entity summaries are written: rules, llm", default="rules"),
        Key("crystallize.form", "how digests of phases are written: rules, llm", default="rules"),
        Key("crystallize.sessions", "also write a digest of each session: off, on", default="off"),
        Key("dream.days", "days between two dreams", default="7"),
        Key("dream.limit", "most proposals of each kind per dream", default="250"),
        Key("dream.auto", "changes a dream applies without asking: off, reversible", default="off"),
        Key("dream.auto_limit", "most changes that a dream applies without asking", default="50"),
        Key("jobs.minutes", "minutes between two rounds of jobs", default="30"),
        Key("jobs.budget", "seconds that one round of jobs may take", default="300"),
        Key("llm_url", "the address of a language model's server; none by default"),
        Key("llm_model", "the language model's name"),
        Key("llm_key_variable", "the environment variable that holds the key"),
        Key(
            "llm_api",
            "the server's API: auto (by address), openai, anthropic, ollama",
            default="auto",
        ),
        Key("llm.cap_tokens", "most tokens a day, input and output together", default="200000"),
        Key("llm.cap_usd", "most US dollars a day; no limit by default"),
        Key("llm.price_in", "US dollars per million input tokens"),
        Key("llm.price_out", "US dollars per million output tokens"),
        Key("extract.form", "how facts are extracted: rules, llm", default="rules"),
        Key(
            "remote.url",
            "the remote server that hooks ask; by default they ask this device's vault",
        ),
        Key("remote.token_file", "the file, of mode 600, with the token for it"),
        Key("remote.token_command", "a command that prints a new token, for the end of each turn"),
        Key("remote.ca_file", "the authority of its certificate, in PEM; else the system's"),
        Key("serve.url", "the remote server's address, as its clients see it: https://HOST/mcp"),
        Key("serve.issuer", "the issuer whose tokens the remote server takes"),
        Key("serve.audience", "the audience that tokens must name; else serve.url"),
        Key("serve.jwks", "the address of the issuer's keys, where its tokens are JWTs"),
        Key("serve.algorithm", "the algorithm by which JWTs are signed", default="RS256"),
        Key("serve.introspection", "the issuer's address for questions about tokens (RFC 7662)"),
        Key("serve.client_id", "the remote server's name with the issuer, for these questions"),
        Key("serve.client_secret_file", "the file, of mode 600, with its secret for them"),
        Key("serve.tls_cert", "the remote server's certificate and what is behind it, in PEM"),
        Key("serve.tls_key", "the key of that certificate, in PEM"),
        Key("serve.requests", "most requests a minute by one client", default="120"),
        Key("serve.kilobytes", "most kilobytes a minute from one client", default="4096"),
    )
}


VARIABLES = {name: key.variable for name, key in KEYS.items()}
"""The environment variable of each setting, made once: every call asks whether one has changed."""


class Setting(Struct):
    """A value and, in words, where it came from."""

    value: str | None
    origin: str


def load_settings(
    flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str
) -> dict[str, Setting]:
    """Every setting, seen from `folder`. Raises ConfigError naming the file and the line."""
    user_file = user_config_file(environ)
    user = read_user_config(environ)
    project_file = find_upwards(folder, PROJECT_FILE)
    project = _read_file(
        project_file, {name: key for name, key in KEYS.items() if key.in_project}
    ) if project_file else {}  # fmt: skip
    settings = {}
    for name, key in KEYS.items():
        if flags.get(name):
            setting = Setting(flags[name], "flag --" + name.replace("_", "-"))
        elif given := environ.get(VARIABLES[name]):
            setting = Setting(given, f"environment {VARIABLES[name]}")
        elif name in project:
            setting = Setting(project[name], f"project file {project_file}")
        elif name in user:
            setting = Setting(user[name], f"user configuration {user_file}")
        else:
            setting = Setting(key.default, "default")
        settings[name] = setting
    return settings


def read_whole_number(settings: Mapping[str, Setting], name: str) -> int | None:
    """A setting that is a number of at least 1, None where it is not set. Raises ConfigError."""
    setting = settings[name]
    if setting.value is None:
        return None
    try:
        number = int(setting.value)
    except ValueError:
        number = 0
    if number < 1:
        raise ConfigError(
            f"{name} is {setting.value[:40]!r} (from {setting.origin}), not a number from 1 up"
        )
    return number


def user_config_file(environ: Mapping[str, str]) -> str:
    """The user's configuration file, whether it exists or not."""
    return environ.get("ENGRAIN_CONFIG") or os.path.join(_base(environ, "config"), "config.toml")


def read_user_config(environ: Mapping[str, str]) -> dict[str, str]:
    """What the user's configuration file sets. Raises ConfigError."""
    path = user_config_file(environ)
    identity = identify(path)
    if not identity:
        return _read_file(path, KEYS)
    flat = os.path.join(default_state_dir(environ), "settings")
    settings = read_flat(flat, identity)
    if settings is None or not settings.keys() <= KEYS.keys():
        settings = _read_file(path, KEYS)
        write_flat(flat, identity, settings)
    return settings


def default_state_dir(environ: Mapping[str, str]) -> str:
    """The platform's folder for device-local state."""
    return _base(environ, "state")


def _base(environ: Mapping[str, str], what: str) -> str:
    if sys.platform == "linux":
        # The XDG rule by hand: platformdirs would double the start-up time of a cold process.
        home, below = {
            "config": ("XDG_CONFIG_HOME", ".config"),
            "state": ("XDG_STATE_HOME", ".local/state"),
        }[what]
        given = environ.get(home, "")
        root = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), below)
        return os.path.join(root, "engrain")
    import platformdirs

    if what == "config":
        return platformdirs.user_config_dir("engrain", appauthor=False)
    return platformdirs.user_state_dir("engrain", appauthor=False)


def _read_file(path: str, allowed: Mapping[str, Key]) -> dict[str, str]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(1024 * 1024)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"can't read: {error.strerror}", path=path) from None
    import tomllib

    try:
        values = tomllib.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        # Not only its own error: hostile depth and endless numbers fail in their own ways.
        raise ConfigError(
            f"not TOML: {error}", path=path, remedy="correct the file, or move it away"
        ) from None
    found = dict(_flatten(values))
    for name, value in found.items():
        if name not in allowed:
            known = name in KEYS
            raise ConfigError(
                f"a project file may not set {name!r}"
                if known
                else f"no setting named {name[:60]!r}",
                path=path,
                remedy="it may set " + ", ".join(allowed),
            )
        if isinstance(value, bool):
            found[name] = str(value).lower()
        elif not isinstance(value, str) and not (
            isinstance(value, int | float) and abs(value) < _TOO_MUCH
        ):
            raise ConfigError(f"{name} must be text, a number, true or false", path=path)
    return {name: str(value) for name, value in found.items()}


def _flatten(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Settings by name, those of a table by its name and a dot before theirs."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", below) for key, below in value.items())
        else:
            yield name, value


def identify(path: str) -> str:
    """A file and its version; "" when it can't be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {path}"


def read_flat(flat: str, identity: str) -> dict[str, str] | None:
    """The settings in `flat`, if they are of the file of that identity."""
    first, *lines = (read_text(flat) or "").split("\n")
    if not identity or first != identity or not lines or lines.pop() != "":
        return None
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def write_flat(flat: str, identity: str, settings: Mapping[str, str]) -> None:
    """Keep settings for `read_flat`, where they can be kept: nothing depends on it."""
    lines = [identity, *(f"{name}={value}" for name, value in settings.items())]
    text = "\n".join(lines)
    if not identity or len(text.split("\n")) != len(lines) or "\r" in text:
        return
    try:
        replace_file(flat, f"{text}\n", private=True, durable=False)
    except (OSError, UnicodeEncodeError):
        return
