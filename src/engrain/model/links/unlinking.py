"""Links to what was erased, rewritten so that they say nothing of it.

Understood are `[[target]]` in all its forms, wherever it stands, code and frontmatter included,
and markdown's own `[label](path)` and `[label]: path`. A label goes with its link: people put the
title there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import unquote

Find: TypeAlias = "Callable[[str], 'str | None']"
"""From what a link names to the stem of the tombstone it shall name, None for other links."""


_WIKI = re.compile(
    r"!?\[\[ (?P<relation> \s*[\w-]++\s*::\s*+ )?+ (?P<target> [^\[\]|\r\n]++ )"
    r" (?: \| (?P<label> (?: [^\[\]\r\n] | \[[^\[\]\r\n]*+\] )*+ ) )?+ \]\]",
    re.VERBOSE,
)
_INLINE = re.compile(
    r"!?\[ (?: [^\[\]\\] | \\. | \[[^\[\]]*+\] )*+ \]"
    r"\( \s*+ (?P<target> <[^<>\r\n]*+> | (?: [^\s()<>] | \([^\s()]*+\) )++ )"
    r"""(?: \s++ (?: "[^"]*+" | '[^']*+' | \([^()]*+\) ) )?+ \s*+ \)""",
    re.VERBOSE | re.DOTALL,
)
_DEFINITION = re.compile(
    r"^(?P<indent>[ ]{0,3}) \[ (?P<label> [^\[\]\r\n]++ ) \]:"
    r" [ \t]*+ (?P<target> <[^<>\r\n]*+> | \S++ ) [^\r\n]*+",
    re.MULTILINE | re.VERBOSE,
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*+:", re.IGNORECASE)
_APP = re.compile(r"obsidian:.*?[?&]file=([^&]*+)", re.IGNORECASE)


def unlink(text: str, find: Find) -> str:
    """`text` with the links that `find` knows leading to tombstones; else as it was."""
    if "[" not in text:
        return text
    text = _WIKI.sub(lambda found: _rewrite_wiki(found, find), text)
    text = _INLINE.sub(lambda found: _rewrite_inline(found, find), text)
    return _rewrite_definitions(text, find)


def _rewrite_wiki(found: re.Match[str], find: Find) -> str:
    target, label = found["target"], found["label"]
    if stem := find(unquote(target.removesuffix("\\").partition("#")[0])):
        return f"[[{found['relation'] or ''}{stem}]]"
    if label and find(label):
        return found[0].partition("|")[0].removesuffix("\\") + "]]"
    return found[0]


def _rewrite_inline(found: re.Match[str], find: Find) -> str:
    stem = find(_place(found["target"]))
    return f"[{stem}]({stem}.md)" if stem else found[0]


def _rewrite_definitions(text: str, find: Find) -> str:
    """Rewrite `[label]: path`, and with it the labels that refer to it."""
    labels: dict[str, str] = {}

    def define(found: re.Match[str]) -> str:
        stem = find(_place(found["target"]))
        if stem is None:
            return found[0]
        labels[found["label"]] = stem
        return f"{found['indent']}[{stem}]: {stem}.md"

    text = _DEFINITION.sub(define, text)
    for label, stem in labels.items():
        referring = rf"(?:\[[^\[\]]*+\])?\[{re.escape(label)}\](?:\[\])?"
        text = re.sub(referring, f"[{stem}]", text, flags=re.IGNORECASE)
    return text


def _place(written: str) -> str:
    """What a markdown link leads to, "" for what is no place in the vault."""
    target = written.removeprefix("<").removesuffix(">")
    if opened := _APP.match(target):
        return unquote(opened[1])
    if _SCHEME.match(target):
        return ""
    return unquote(target.partition("#")[0])
