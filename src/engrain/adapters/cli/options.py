"""What commands are made of: tables of arguments, how their values are read, what is opened."""

from __future__ import annotations

import os
import time

from engrain.model.errors import NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from engrain.adapters.cli.answer import Answer
    from engrain.adapters.cli.console import Console
    from engrain.api.memory import Memory
    from engrain.engine.core.scope import Scope
    from engrain.resolution.selector import Resolution

    T = TypeVar("T")
    Run = Callable[..., Answer | int]

COMMON = """
# where and how
--vault DIR      the vault's folder
--state-dir DIR  where this device keeps its index
--backend NAME   the backend, by name
--project NAME   the current project
--agent NAME     who is acting
--json           answer with one JSON envelope
"""
SCOPE = """
# filters
--kind K*             only this kind
--tag T*              having this tag
--status S*           of this status
--tier <T2|T3>*       T2: shared with the operator, T3: the agent's own
--since WHEN          created since: a date, or 7d, 12h, 2w
--until WHEN          created before
--as-of D             what was valid on that date, even if superseded since
--known-at D          use only what was recorded up to that date
--all-projects        of all projects
--include-archive     include archived entries
--include-superseded  include superseded entries
--include-inbox       include the inbox
"""
FRESH = "--fresh  compare every file with the index first"
SESSION = """
--session ID  the current session; else ENGRAIN_SESSION, else the session begun last
"""
ENTRY = "an id or its beginning, a path or a slug"
RESTORE_DELETED = "restore what was deleted here; else it stays deleted and is listed"
ALLOW_ERASED = "also import what was erased here"
_SPANS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_TYPES = {"int": int, "float": float}
ABSENT = "==SUPPRESS=="  # of argparse: an argument that is not given has no value at all


class Arguments:
    """The values of a command's arguments, each under its name."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


class Argument:
    """One argument of a table: `names` of an option, none of a word, and in `more` what argparse
    has to know. `group` is the heading it stands under in the help; of two options with the same
    number as `rivals`, 0 for none, one can be given."""

    __slots__ = ("dest", "group", "more", "names", "rivals")

    def __init__(self, form: str, meaning: str, group: str, rivals: int, default: object) -> None:
        self.more: dict[str, Any] = {"help": meaning or None}
        self.names: list[str] = []
        self.group = group
        self.rivals = rivals
        self.dest = self._read_option(form, default) if form[0] == "-" else self._read_word(form)

    @property
    def has_default(self) -> bool:
        """Whether the option has a value where it is not given."""
        return bool(self.names) and self.more["default"] != ABSENT

    @property
    def takes_value(self) -> bool:
        """Whether an option has a value behind it."""
        return bool(self.more.get("action", "append") == "append")

    def _read_word(self, form: str) -> str:
        name, _, word = form.rpartition("=")
        if word[-1] in "?*+":
            self.more["nargs"], word = word[-1], word[:-1]
        self._take_metavar(word)
        return name or "action"

    def _read_option(self, form: str, default: object) -> str:
        names, _, value = form.partition(" ")
        names, _, name = names.partition(">")
        value, _, given = value.partition("=")
        self.more["default"] = given or default
        self.names = names.replace("[no-]", "").split(",")
        if "[no-]" in names:
            self.more["action"] = "boolean"
        elif not value:
            self.more |= {"action": "store_true", "default": default or False}
        if value[-1:] == "*":
            self.more |= {"action": "append", "default": []}
        elif value[-1:] == "!":
            self.more["required"] = True
        value, _, kind = value.rstrip("*!").partition("/")
        if kind:
            self.more["type"] = _TYPES[kind]
        self._take_metavar(value)
        return name or self.names[0][2:].replace("-", "_")

    def _take_metavar(self, word: str) -> None:
        if word[:1] == "<":
            self.more["choices"] = word[1:-1].split("|")
        elif word:
            self.more["metavar"] = word

    def read(self, text: str) -> object:
        """The value that a text means. Raises ValueError."""
        value = self.more["type"](text) if "type" in self.more else text
        if value not in self.more.get("choices", (value,)):
            raise ValueError(text)
        return value


class Command:
    """One command: what it does, and the table of its arguments and examples.

    `run` is a function, or those of the actions, where `_list` is that of `list`: of the arguments
    and the console, and before them of a memory where `opens` says how to open it. It returns an
    exit code, or an answer. `check` raises UsageError for arguments that exclude each other, before
    anything is opened. Where the command is `strict`, an argument whose help begins with actions is
    refused by others.

    A line of the table has the argument's form, two blanks and its help, which may go on in lines
    that begin with a blank. Forms: `name=WORD` (behind it `?` for one or none, `*` for any number,
    `+` for one or more), `<list|show>` for the action, `--flag`, `--[no-]flag`, `--option VALUE`
    (`/int`, `/float`, `*` for repeated, `!` for required, `=default`, `<a|b>` for choices),
    `--option,-o` for two names, `--option>name` for another name in the program. `# ` begins a
    group, `| ` an option that excludes its neighbours, `$ ` an example.
    """

    __slots__ = ("_table", "check", "opens", "run", "strict")

    def __init__(
        self,
        run: Run | list[Run] | dict[Any, Run],
        table: str,
        *,
        opens: Callable[[Arguments, Console], Memory] | None = None,
        check: Callable[[Arguments], None] | None = None,
        strict: bool = False,
    ) -> None:
        self.run = {one.__name__[1:]: one for one in run} if isinstance(run, list) else run
        self._table = table
        self.opens = opens
        self.check = check
        self.strict = strict

    @property
    def examples(self) -> Sequence[str]:
        """Command lines for the help."""
        return [line[2:] for line in self._table.split("\n") if line.startswith("$ ")]

    def list_arguments(self) -> list[Argument]:
        """Its arguments, with those of every command."""
        return [*read_table(COMMON, default=ABSENT), *read_table(self._table)]

    def execute(self, name: str, args: Arguments, console: Console) -> int:
        """Run with these arguments; the exit code. Raises UsageError, and what `run` does."""
        if self.strict:
            _refuse_others(name, args, self.list_arguments())
        if self.check:
            self.check(args)
        run = self.run[args.action] if isinstance(self.run, dict) else self.run
        where: dict[str, object] = {}
        if self.opens is None:
            done = run(args, console)
        else:
            with self.opens(args, console) as memory:
                done = run(memory, args, console)
                where = {"where": memory.where} if self.opens is open_harness else {}
        if isinstance(done, int):
            return done
        console.answer(name, {**done[0], **where}, done[1])
        return done[2] if len(done) == 3 else 0


def read_table(table: str, *, default: object = None) -> Iterator[Argument]:
    """What a table has, see `Command`. `default` is that of an option that is not given."""
    group, rivals, among = "", 0, False
    for line in table.strip().replace("\n ", " ").split("\n"):
        form, _, meaning = line.partition("  ")
        meaning = " ".join(meaning.split())
        if form[:2] == "# ":
            group, among = form[2:], False
        elif form[:2] == "| ":
            rivals, among = rivals + (not among), True
            yield Argument(form[2:], meaning, group, rivals, default)
        elif form and form[:2] != "$ ":
            among = among and form[0] != "-"
            yield Argument(form, meaning, group, 0, default)


def read_arguments(arguments: Sequence[Argument], argv: Sequence[str]) -> Arguments | None:
    """What plain arguments mean, as argparse would say; None for what that is to read or refuse.
    To load and fill argparse takes a third as long as a recall."""
    try:
        values = _Reader(arguments).read(argv)
    except (LookupError, ValueError):
        return None
    args = Arguments()
    args.__dict__.update(values)
    return args


class _Reader:
    """Reads one line. What is not plain raises LookupError or ValueError."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self._options = {name: one for one in arguments for name in one.names}
        self._places = [one for one in arguments if not one.names]
        self._values: dict[str, Any] = {
            one.dest: _copy_default(one) for one in arguments if one.has_default
        }
        self._missing = {one.dest for one in arguments if "required" in one.more}
        self._rivals: dict[int, Argument] = {}

    def read(self, argv: Sequence[str]) -> dict[str, Any]:
        words: list[str] = []
        rest = iter(argv)
        for word in rest:
            if word == "--":
                words += rest
            elif self._is_word(word):
                words.append(word)
            else:
                self._take(word, rest)
        if self._missing or "--" in words:
            raise ValueError(words)
        self._deal(words)
        return self._values

    def _is_word(self, word: str) -> bool:
        if word[:1] != "-" or word == "-":
            return True
        return " " in word and word.partition("=")[0] not in self._options

    def _take(self, word: str, rest: Iterator[str]) -> None:
        name, equals, text = word.partition("=")
        one = self._options.get(name) or self._options["--" + name.removeprefix("--no-")]
        if one.rivals and self._rivals.setdefault(one.rivals, one) is not one:
            raise ValueError(name)
        self._missing.discard(one.dest)
        if one.takes_value:
            self._take_value(one, name, text if equals else next(rest, ""), equals)
        elif equals or (name not in one.names and one.more["action"] != "boolean"):
            raise ValueError(word)
        else:
            self._values[one.dest] = name in one.names

    def _take_value(self, one: Argument, name: str, text: str, equals: str) -> None:
        # What begins with a dash may be an option: argparse has rules of its own for it.
        dashed = text[:1] == "-" and text != "-"
        if not text or dashed or name not in one.names or (equals and name[:2] != "--"):
            raise ValueError(text)
        if "action" in one.more:
            self._values[one.dest].append(one.read(text))
        else:
            self._values[one.dest] = one.read(text)

    def _deal(self, words: list[str]) -> None:
        """Give each place its words, as many as those behind it leave."""
        least = [one.more.get("nargs", "+") == "+" for one in self._places]
        for number, one in enumerate(self._places):
            several = one.more.get("nargs", "?") != "?"
            room = len(words) - sum(least[number + 1 :])
            count = room if several else min(room, 1)
            if count < least[number]:
                raise ValueError(words)
            taken, words = [one.read(word) for word in words[:count]], words[count:]
            self._values[one.dest] = taken if several else taken[0] if taken else None
        if words:
            raise ValueError(words)


def _copy_default(one: Argument) -> object:
    default = one.more["default"]
    if isinstance(default, list):
        return [*default]
    return one.read(default) if isinstance(default, str) else default


def _refuse_others(name: str, args: Arguments, arguments: Sequence[Argument]) -> None:
    """Raise UsageError for what the action does not take, as the help of each argument says."""
    import re

    (actions,) = (one.more.get("choices", ()) for one in arguments if one.dest == "action")
    for one in arguments:
        said = re.findall(r"(?:^|; )([a-z-]+(?:, [a-z-]+)*): ", one.more["help"] or "")
        meant = {word for part in said for word in part.split(", ")}.intersection(actions)
        given = getattr(args, one.dest, None)
        if meant and args.action not in meant and given not in (None, [], one.more.get("default")):
            what = one.names[:1] or [str(one.more.get("metavar") or one.dest).lower()]
            several = "s" if one.more.get("nargs") == "*" else ""
            argument = f"{what[0].replace('|', ' or ')}{several}"
            raise UsageError(
                f"`{name} {args.action}` takes no {argument}", remedy=f"see `engrain {name} --help`"
            )


def one_of(words: Sequence[str]) -> str:
    """Words as the choices of a table of arguments."""
    return f"<{'|'.join(words)}>"


def take_words(name: str, args: Arguments, words: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError unless there are as many `args.words` as the action has in `words`."""
    wanted = words[args.action]
    if len(args.words) != len(wanted):
        raise UsageError(
            f"{name} {args.action} takes {' and '.join(wanted) or 'no words'}",
            remedy=f"see `engrain {name} --help`; quote an argument of several words",
        )


def read_scope(args: Arguments) -> Scope:
    from engrain.engine.core.scope import Scope

    return Scope(
        kinds=args.kind,
        tags=args.tag,
        statuses=args.status,
        tiers=args.tier,
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        include_superseded=args.include_superseded,
        include_inbox=args.include_inbox,
        since=read_when(args.since),
        until=read_when(args.until),
        as_of=read_when(args.as_of),
        known_at=read_when(args.known_at),
    )


def read_session(args: Arguments, current: str | None = None) -> str | None:
    """The session that is named, else the `current` one."""
    named: str | None = args.session or os.environ.get("ENGRAIN_SESSION")
    return named or current


def read_when(text: str | None) -> float | None:
    """A date, a date and time, or a span back from now. Raises UsageError."""
    if text is None:
        return None
    from engrain.language.text.instants import parse_instant

    try:
        if text[:-1].isdecimal() and text[-1] in _SPANS:
            return time.time() - int(text[:-1]) * _SPANS[text[-1]]
        return parse_instant(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time", remedy="give a date such as 2026-09-01, or a span such as 7d"
        ) from None


def read_text(given: str | None, console: Console) -> str:
    """A text argument, where `-` means standard input. Raises UsageError."""
    if given != "-":
        return given or ""
    try:
        return console.read_input()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def read_file(path: str, most: int = 512 * 1024) -> str:
    """The text of a file. Raises UsageError, NotFoundError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(most + 1)
        if len(raw) > most:
            raise UsageError(f"{path} is over {most} bytes", path=path)
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError(f"no file {path}", path=path) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", path=path) from None


def list_here(ask: Callable[[bool], Sequence[T]], everywhere: bool) -> tuple[Sequence[T], int]:
    """What `ask` gives for the current project, or for all with `everywhere`; and, where that is
    nothing, how many there are in other projects."""
    found = ask(everywhere)
    return found, 0 if found or everywhere else len(ask(True))


def open_vault(args: Arguments, _: Console) -> Memory:
    """The memory these arguments mean, for a command that only needs it open."""
    return open_from(args)


def open_from(args: Arguments, *, create: bool = False, harness: bool = False) -> Memory:
    """The memory these arguments mean."""
    from engrain.wiring import open_memory

    memory = open_memory(
        getattr(args, "vault", None),
        state_dir=getattr(args, "state_dir", None),
        backend=getattr(args, "backend", None),
        project=getattr(args, "project", None),
        agent=getattr(args, "agent", ""),
        trust=getattr(args, "trust", "agent"),
        create=create,
        harness=harness,
        also=getattr(args, "also", None) or None,
    )
    if getattr(args, "fresh", False):
        memory.scan()
    return memory


def open_harness(args: Arguments, console: Console) -> Memory:
    """The memory these arguments mean for working memory: without a configured vault this device's
    own store, which is said in a line on standard error, and by `memory.where` in JSON (S1.4)."""
    found = resolve_harness_from(args)
    if found.fallback and not console.as_json:
        console.write_error(f"engrain: no vault is configured; using {found.location}")
    return open_from(args, harness=True)


def resolve_harness_from(args: Arguments) -> Resolution:
    """Which store these arguments mean for working memory, with nothing opened."""
    from engrain.resolution.selector import resolve_harness

    return resolve_harness(flags_of(args), os.environ, os.getcwd())


def resolve_from(args: Arguments) -> Resolution:
    """Which store these arguments mean, and why, with nothing opened."""
    from engrain.resolution.selector import resolve

    return resolve(flags_of(args), os.environ, os.getcwd())


def flags_of(args: Arguments) -> dict[str, str | None]:
    names = ("vault", "state_dir", "backend", "project")
    return {name: getattr(args, name, None) for name in names}
