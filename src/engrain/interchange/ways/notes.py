"""Notes in other forms than plain markdown: Logseq, org-roam, CSV, and lines of JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from engrain.interchange.ways.item import ForeignItem, Found, PassedOver, WayIn
from engrain.language.text.instants import format_day, read_instant
from engrain.language.text.written_dates import date_in_name, read_date
from engrain.model.errors import MalformedError
from engrain.model.note.documents import object_of, read_json, text_of, texts_of
from engrain.seam.source_tree import SourceTree

_PROPERTY = re.compile(r"^(\s*)(?:- )?([A-Za-z][\w-]*):: ?(.*)$")
_BLOCK = re.compile(r"\(\(([0-9a-f-]{36})\)\)")
_HIDDEN = ("id", "collapsed", "heading", "logseq")


def _find_logseq(tree: SourceTree) -> Sequence[str]:
    if not tree.ending("logseq/config.edn"):
        return []
    return [one for one in tree.ending(".md") if one.startswith(("pages/", "journals/"))]


def _read_logseq(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    texts = {path: tree.read_text(path) for path in files}
    blocks = dict(one for text in texts.values() for one in _list_blocks(text))
    for path in tree.files:
        if path not in texts and path.endswith((".md", ".org")):
            passed[path.partition("/")[0], "not among pages and journals"] += 1
    for path, text in texts.items():
        folder, _, name = path.partition("/")
        stem = name.removesuffix(".md")
        properties, body = _split_properties(text)
        body = _BLOCK.sub(lambda found: blocks.get(found[1], found[0]), body)
        title = unquote(stem.replace("___", "/"))
        at = None
        if folder == "journals":
            at = date_in_name(stem.replace("_", "-"))
            title = title if at is None else format_day(at)
        if not body.strip(" -\n"):
            passed[path, "an empty page"] += 1
            continue
        yield ForeignItem(
            path,
            body,
            properties.get("title") or title,
            "domain-reference",
            created=at or tree.date_of(path),
            tags=_split_list(properties.get("tags", "")),
            aliases=_split_list(properties.get("alias", "")),
        )


def _split_properties(text: str) -> tuple[dict[str, str], str]:
    """Return the properties at the head of a page, and its text without those that only Logseq
    reads."""
    given: dict[str, str] = {}
    lines = []
    head = True
    for line in text.splitlines():
        found = _PROPERTY.match(line)
        head = head and (found is not None or not line.strip())
        if found and head:
            given[found[2].lower()] = found[3].strip()
        elif not (found and found[2].lower().startswith(_HIDDEN)):
            lines.append(line)
    return given, "\n".join(lines)


def _list_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the id of each block that has one, with its first line."""
    said = ""
    for line in text.splitlines():
        found = _PROPERTY.match(line)
        if found and found[2] == "id":
            yield found[3].strip(), said
        elif line.lstrip().startswith("- "):
            said = line.lstrip()[2:].strip()


def _split_list(text: str) -> list[str]:
    parts = (part.strip().strip("#") for part in text.split(","))
    return [part.removeprefix("[[").removesuffix("]]") for part in parts if part]


_DRAWER = re.compile(
    r"^[ \t]*:PROPERTIES:\n((?:[ \t]*:[\w+-]+:.*\n){0,50}?)[ \t]*:END:\n?", re.M | re.I
)
_ORG_ID = re.compile(r"^[ \t]*:ID:[ \t]+(\S+)", re.M | re.I)
_ORG_ALIASES = re.compile(r"^[ \t]*:ROAM_ALIASES:[ \t]+(.*)$", re.M | re.I)
_KEYWORD = re.compile(r"^#\+(\w+):[ \t]*(.*)\n?", re.M)
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]++)\](?:\[([^\[\]\n]++)\])?\]")
_ORG_BLOCK = re.compile(r"^[ \t]*#\+(begin|end)_(src|example|quote)[ \t]*(\w*).*$", re.M | re.I)
_ORG_HEADING = re.compile(
    r"^(\*+) ((?:[^ \t\n]++|[ \t]++(?!(?::[\w@:]+:)?[ \t]*$))*+)"
    r"(?:[ \t]++(:[\w@:]++)(?<=:))?[ \t]*+$",
    re.M,
)
_ORG_CODE = re.compile(r"(?<![\w=~])([=~])(\S(?:[^\n]{0,200}?\S)?)\1(?![\w=~])")
_ORG_DATE = re.compile(r"[\[<](\d{4}-\d\d-\d\d)[^\]>\n]{0,100}[\]>]")


def _find_org(tree: SourceTree) -> Sequence[str]:
    return tree.ending(".org")


def _read_org(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    texts = {path: tree.read_text(path) for path in files}
    titles: dict[str, str] = {}
    for path, text in texts.items():
        titles |= {id_: _title_of(path, text) for id_ in _ORG_ID.findall(text)}
    for path, text in texts.items():
        keywords = {key.lower(): value.strip() for key, value in _KEYWORD.findall(text)}
        named = _ORG_ID.search(text)
        aliases = _ORG_ALIASES.search(text)
        body = _org_to_markdown(text, titles)
        if not body.strip():
            passed[path, "an empty note"] += 1
            continue
        dated = _ORG_DATE.search(keywords.get("date", ""))
        at = read_date(dated[1]) if dated else None
        stem = path.rpartition("/")[2].removesuffix(".org")
        yield ForeignItem(
            named[1] if named else path,
            body,
            _title_of(path, text),
            created=at or _date_of_stem(stem) or tree.date_of(path),
            tags=[tag for tag in keywords.get("filetags", "").replace(" ", ":").split(":") if tag],
            aliases=_quoted(aliases[1]) if aliases else (),
        )


def _quoted(text: str) -> list[str]:
    """Return the words of a list, where several words in quotation marks are one."""
    return [one or other for one, other in re.findall(r'"([^"]+)"|(\S+)', text)]


def _date_of_stem(stem: str) -> float | None:
    """Return the time in the name of a file of org-roam, such as `20260131093000-title`."""
    found = re.match(r"(\d{4})(\d\d)(\d\d)(?:\d{6})?-", stem)
    return read_date("-".join(found.groups())) if found else date_in_name(stem)


def _title_of(path: str, text: str) -> str:
    found = re.search(r"^#\+title:[ \t]*(.+)$", text, re.M | re.I)
    return found[1].strip() if found else path.rpartition("/")[2].removesuffix(".org")


def _org_to_markdown(text: str, titles: dict[str, str]) -> str:
    """Return the text of a note of org mode as markdown; `titles` are those of notes by their ids.
    What has no counterpart stays as it is written."""
    text = _KEYWORD.sub("", _DRAWER.sub("", text))

    def block(found: re.Match[str]) -> str:
        if found[2].lower() == "quote":
            return ""
        return "```" + (found[3] if found[1].lower() == "begin" else "")

    def link(found: re.Match[str]) -> str:
        target, label = found[1], found[2] or ""
        if target.startswith("id:"):
            title = titles.get(target[3:])
            if title is None:
                return label or target
            return f"[[{title}]]" if label in ("", title) else f"[[{title}|{label}]]"
        target = target.removeprefix("file:")
        return f"[{label or target}]({target})"

    text = _ORG_HEADING.sub(lambda found: f"{'#' * (len(found[1]) + 1)} {found[2]}", text)
    text = _ORG_LINK.sub(link, _ORG_BLOCK.sub(block, text))
    return _ORG_CODE.sub(r"`\2`", text).strip("\n")


_TEXT_COLUMNS = ("text", "content", "memory", "note", "body")


def _find_csv(tree: SourceTree) -> Sequence[str]:
    heads = ((path, tree.read_beginning(path).partition("\n")[0]) for path in tree.ending(".csv"))
    return [path for path, head in heads if _column(next(csv.reader([head]), []))]


def _column(names: Sequence[str]) -> str:
    lowered = [name.strip().lower() for name in names]
    return next((name for name in _TEXT_COLUMNS if name in lowered), "")


def _read_csv(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        rows = csv.reader(tree.read_text(path).splitlines(keepends=True))
        names = [name.strip().lower() for name in next(rows)]
        column = _column(names)
        for number, cells in enumerate(rows, 1):
            row = dict(zip(names, cells, strict=False))
            if row.get(column, "").strip():
                yield _item_of(row, f"{path}#{row.get('id') or number}", row[column])
            else:
                passed[path, "a row without text"] += 1


def _find_jsonl(tree: SourceTree) -> Sequence[str]:
    found = []
    for path in tree.ending(".jsonl", ".ndjson"):
        try:
            first = object_of(read_json(tree.read_beginning(path).partition("\n")[0]))
        except MalformedError:
            continue
        found += [path] if any(isinstance(first.get(one), str) for one in _TEXT_COLUMNS) else []
    return found


def _read_jsonl(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        for number, line in enumerate(tree.read_text(path).split("\n"), 1):
            try:
                row = object_of(read_json(line)) if line.strip() else {}
            except MalformedError:
                row = {}
            column = next((one for one in _TEXT_COLUMNS if text_of(row.get(one)).strip()), "")
            if column:
                yield _item_of(row, f"{path}#{row.get('id') or number}", text_of(row[column]))
            elif line.strip():
                passed[path, "a line without text"] += 1


def _item_of(row: Mapping[str, object], key: str, text: str) -> ForeignItem:
    """Return the item of a row, whose columns have the names of the fields of an entry."""
    tags = row.get("tags")
    split = re.split(r"[,;]", tags) if isinstance(tags, str) else texts_of(tags)
    return ForeignItem(
        key,
        text,
        text_of(row.get("title")),
        text_of(row.get("kind")),
        text_of(row.get("project")) or None,
        read_instant(row.get("created")) or read_date(row.get("created") or row.get("date")),
        [tag.strip() for tag in split if tag.strip()],
    )


LOGSEQ = WayIn("logseq", "a graph of Logseq", _find_logseq, _read_logseq)
ORG = WayIn("org", "notes of org-roam", _find_org, _read_org)
CSV = WayIn("csv", "tables with a column text, content, memory, note or body", _find_csv, _read_csv)
JSONL = WayIn("jsonl", "lines of JSON with such a field", _find_jsonl, _read_jsonl)
