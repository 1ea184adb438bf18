"""Writes docs/reference.md: every command and table, from the code itself.

    python docs/make_reference.py            write it
    python docs/make_reference.py --check    exit 1 when the file is not what the code says

Nothing is taken from argparse's own layout, which differs between versions of Python and with the
width of the terminal.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import engrain
from engrain.adapters.cli.base import BaseCommand, list_arguments
from engrain.adapters.cli.commands import COMMANDS, load_command
from engrain.adapters.cli.helping import build_parser
from engrain.adapters.cli.parsing import list_options, make_parser, summarize
from engrain.adapters.present.failures import exit_code
from engrain.backends.protocol import LOCK_WAIT
from engrain.backends.segments import SEGMENT_BYTES
from engrain.engine.core.upkeep import REBUILD_FIRST
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES
from engrain.index.text import QUERY_CHARS, QUERY_TERMS
from engrain.language.text.folding import SLUG_BYTES
from engrain.model import errors
from engrain.model.links.link import RELATIONS
from engrain.model.note.field import MAX_DEPTH, MAX_FRONTMATTER
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import KINDS, ORIGINS, STATUSES
from engrain.model.settings import KEYS
from engrain.resolution.selector import BUILT_IN

EXAMPLES = 2
"""So many examples of a command are shown here; its `--help` shows all."""
SHARED = 3
"""An option that so many commands take with the same meaning is described once."""
TARGET = Path(__file__).with_name("reference.md")
_MARKS = re.compile(r" \((?:S[0-9]|DESIGN)[^)]*\)")
"""Where a docstring names the requirement it follows from."""

_NEEDED = {errors.MalformedError: {"reason": ""}}
"""What some errors can't be made without."""

_EXIT_MEANINGS = {
    0: "ok; also when nothing was found",
    1: "error",
    2: "usage",
    3: "not found",
    4: "conflict",
    5: "vault unavailable",
    6: "done, but for what only you can decide; a line says which option does",
}


def render() -> str:
    """The whole document."""
    lines = [
        "# Reference",
        "",
        f"Of engrain {engrain.__version__}. Written by `python3 tasks.py docs` from the code; "
        "not to be edited.",
        "",
        *_commands(),
        *_settings(),
        *_exit_codes(),
        *_errors(),
        *_kinds(),
        *_words(),
        *_limits(),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with `--check` compare it; the exit code."""
    if arguments == ["--check"]:
        if TARGET.exists() and TARGET.read_text(encoding="utf-8") == render():
            return 0
        sys.stderr.write(f"{TARGET.name} is stale: run `python3 tasks.py docs`\n")
        return 1
    TARGET.write_text(render(), encoding="utf-8")
    return 0


def _commands() -> Iterator[str]:
    common = {name for one in list_arguments(BaseCommand) for name in list_options(one)}
    called = dict(_list_called())
    parsers = {name: make_parser("", command) for name, command in called.items()}
    lines = {name: list(map(_line, _list_own(parser, common))) for name, parser in parsers.items()}
    found = Counter(line for every in lines.values() for line in set(every))
    often = [line for line, uses in found.most_common() if uses >= SHARED and "- `-" in line[:4]]
    shared = set({line.partition("`:")[0]: line for line in reversed(often)}.values())
    yield "## Commands"
    yield ""
    yield from _code(["engrain COMMAND …", "python -m engrain COMMAND …"])
    yield ", ".join(f"[{name}](#engrain-{name})" for name in COMMANDS) + "."
    yield ""
    yield "Every command takes `--help` and these, before or after its name. After `--` come words."
    yield ""
    actions = build_parser()._actions
    yield from (_line(one) for one in actions if common.intersection(one.option_strings))
    yield ""
    yield "`engrain --version` prints the version."
    yield ""
    yield "Several commands share these options; each names those that it takes:"
    yield ""
    yield from sorted(shared)
    yield ""
    for name, command in called.items():
        group, _, action = name.partition(" ")
        if group not in called and f"{group} {next(iter(_actions(group)))}" == name:
            yield from (f"### engrain {group}", "", summarize(group), "")
            yield f"`engrain {group}` alone is `engrain {name}`."
            yield ""
        yield f"###{'#' * bool(action)} engrain {name}"
        yield ""
        yield _flatten(command.__doc__)
        yield ""
        own = _list_own(parsers[name], common)
        words = [_word(one) for one in own if not one.option_strings]
        options = ["[OPTION …]"] if len(words) < len(own) else []
        yield f"`{' '.join(['engrain', name, *words, *options])}`"
        yield ""
        told = [line for line in lines[name] if line not in shared]
        also = [one.option_strings[0] for one in own if _line(one) in shared]
        if also:
            told.append("- shared: " + ", ".join(f"`{option}`" for option in also))
        if told:
            yield from told
            yield ""
        if command.examples:
            yield from _code(_shorten(command.examples.strip().splitlines()))


def _actions(name: str) -> Mapping[str, type[BaseCommand]]:
    found = load_command(name)
    return found if isinstance(found, Mapping) else {"": found}


def _list_called() -> Iterator[tuple[str, type[BaseCommand]]]:
    """Each command and each action of a group, with the words that call it."""
    for name in COMMANDS:
        for action, command in _actions(name).items():
            yield f"{name} {action}".strip(), command


def _shorten(examples: list[str]) -> list[str]:
    """The first examples; all of them if one has several lines."""
    if all(line.startswith("engrain ") and line[-1] != "\\" for line in examples):
        return examples[:EXAMPLES]
    return examples


def _flatten(text: str | None) -> str:
    return " ".join((text or "").split())


def _list_own(parser: argparse.ArgumentParser, common: set[str]) -> list[argparse.Action]:
    """The words and then the options of a command that not every command takes."""
    own = [one for one in parser._actions if not common.intersection(one.option_strings)]
    own = [one for one in own if one.option_strings[-1:] != ["--help"]]
    return sorted(own, key=lambda one: bool(one.option_strings))


def _line(action: argparse.Action) -> str:
    name = _option(action) if action.option_strings else f"`{_word(action)}`"
    return f"- {name}: {_meaning(action)}"


def _settings() -> Iterator[str]:
    yield "## Settings"
    yield ""
    yield (
        "Where a setting is given more than once, the flag counts before the environment, that "
        "before the project file `.engrain.toml`, and that before the user's configuration "
        "(`engrain config path`)."
    )
    yield ""
    yield from _table(
        ["setting", "meaning", "variable", "in a project file", "default"],
        (
            [
                f"`{key.name}`",
                key.meaning,
                f"`{key.variable}`",
                "yes" if key.in_project else "no",
                f"`{key.default}`" if key.default else "",
            ]
            for key in KEYS.values()
        ),
    )


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes"
    yield ""
    known = list(_known_errors())
    yield from _table(
        ["code", "meaning", "errors"],
        (
            [str(code), meaning, ", ".join(f"`{e.code}`" for e in known if exit_code(e) == code)]
            for code, meaning in _EXIT_MEANINGS.items()
        ),
    )
    yield "A command that was interrupted by Ctrl-C ends with 130."
    yield ""


def _errors() -> Iterator[str]:
    yield "## Errors"
    yield ""
    yield "In Python all of `engrain.model.errors`; in JSON the `code` of `error`."
    yield ""
    yield from _table(
        ["code", "class", "meaning", "exit code"],
        (
            [
                f"`{error.code}`",
                f"`{type(error).__name__}`",
                _MARKS.sub("", _flatten(type(error).__doc__)),
                str(exit_code(error)),
            ]
            for error in _known_errors()
        ),
    )


def _known_errors() -> Iterator[errors.EngrainError]:
    for value in vars(errors).values():
        known = isinstance(value, type) and issubclass(value, errors.EngrainError)
        if known and value is not errors.EngrainError:
            yield value("", **_NEEDED.get(value, {}))


def _kinds() -> Iterator[str]:
    yield "## Kinds"
    yield ""
    yield (
        "A kind says where an entry is filed and how it [fades](use.md#fading). An "
        "unknown kind is filed under `Memory/` and its name, and fades normally."
    )
    yield ""
    yield from _table(
        ["kind", "folder", "when the operator states it", "retention", "belongs to a project"],
        (
            [
                f"`{kind.name}`",
                f"`{kind.folder}/`",
                f"`{kind.operator_folder}/`" if kind.operator_folder else "",
                kind.retention,
                "when named" if kind.projectless else "yes",
            ]
            for kind in KINDS.values()
        ),
    )


def _words() -> Iterator[str]:
    yield "## Words"
    yield ""
    yield from _table(
        ["of", "one of"],
        (
            [what, ", ".join(f"`{word}`" for word in words)]
            for what, words in (
                ("status", STATUSES),
                ("relation of a link", RELATIONS),
                ("trust, the most trusted first", ORIGINS),
                ("backend", ["auto", *BUILT_IN]),
            )
        ),
    )


def _limits() -> Iterator[str]:
    yield "## Limits"
    yield ""
    yield from _table(
        ["what", "at most"],
        [
            ["a note, frontmatter included", f"{MAX_NOTE_BYTES // 1024} KiB"],
            ["frontmatter", f"{MAX_FRONTMATTER // 1024} Ki characters, {MAX_DEPTH} levels deep"],
            ["a slug", f"{SLUG_BYTES} bytes; longer titles are cut"],
            ["what is read of a question", f"{QUERY_CHARS} characters, {QUERY_TERMS} words"],
            ["results of a recall", f"{PROFILES[DEFAULT_PROFILE].limit}, or as `--limit` says"],
            ["a writer's wait for another", f"{LOCK_WAIT:.0f} s, then `locked`"],
            ["a file of the history", f"about {SEGMENT_BYTES // 1024} KiB, then the next begins"],
            [
                "entries for which a missing index is rebuilt before the answer",
                f"{REBUILD_FIRST:,}; beyond that `recall` reads every file until `jobs reindex`",
            ],
        ],
    )


def _word(action: argparse.Action) -> str:
    """A word of the usage, in brackets where it may be missing."""
    name = str(action.metavar or "|".join(action.choices or ()) or action.dest.upper())
    if action.nargs in ("+", "*"):
        name += " …"
    return f"[{name}]" if action.nargs in ("?", "*") else name


def _option(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {_value(action)}"
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def _value(action: argparse.Action) -> str:
    return str(action.metavar or "|".join(action.choices or ()) or action.dest.upper())


def _meaning(action: argparse.Action) -> str:
    told = action.help or ""
    if isinstance(action.default, str | int) and action.option_strings and action.nargs != 0:
        told += f" (default: {action.default})" if action.default else ""
    if action.required and action.option_strings:
        told += " (required)"
    return told.strip()


def _table(heads: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield _row(heads)
    yield _row(["---"] * len(heads))
    yield from map(_row, rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return "|" + "|".join(re.sub(r"\|", r"\\|", cell) for cell in cells) + "|"


def _code(lines: Iterable[str]) -> Iterator[str]:
    yield "```sh"
    yield from lines
    yield "```"
    yield ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
