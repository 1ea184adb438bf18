"""Exports of ChatGPT, Claude and Notion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from engrain.interchange.ways.item import ForeignItem, Found, PassedOver, WayIn, split_sections
from engrain.language.text.folding import slugify
from engrain.language.text.instants import read_instant
from engrain.language.text.written_dates import read_date
from engrain.model.note.documents import object_of, objects_of, read_json, text_of, texts_of
from engrain.seam.source_tree import SourceTree

_CONVERSATIONS, _PROJECTS, _MEMORIES = "conversations.json", "projects.json", "memories.json"
_CHATS = "a conversation; `import chats` takes it in, `learn extract` reads facts from it"


def _read_list(tree: SourceTree, path: str) -> list[dict[str, Any]]:
    """Return the objects in the list of a JSON file. Raises MalformedError."""
    return objects_of(read_json(tree.read_text(path)))


def _find_chatgpt(tree: SourceTree) -> Sequence[str]:
    return [path for path in _name_conversations(tree) if '"mapping"' in tree.read_beginning(path)]


def _read_chatgpt(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    """Yield what ChatGPT noted of the person in its conversations, and the latest instructions."""
    for path in files:
        instructions: tuple[float, str, str] = (-1.0, "", "")
        for conversation in _read_list(tree, path):
            passed[path, _CHATS] += 1
            for node in object_of(conversation.get("mapping")).values():
                message = object_of(object_of(node).get("message"))
                content = object_of(message.get("content"))
                at = _number(message.get("create_time")) or _number(conversation.get("create_time"))
                if message.get("recipient") == "bio":
                    text = "\n".join(texts_of(content.get("parts")))
                    if text.strip():
                        yield ForeignItem(str(message.get("id")), text, kind="memory", created=at)
                elif content.get("content_type") == "user_editable_context":
                    about, how = content.get("user_profile"), content.get("user_instructions")
                    instructions = max(instructions, (at or 0.0, text_of(about), text_of(how)))
        at, about, how = instructions
        for key, title, text in (
            ("profile", "About me, as ChatGPT was told", about),
            ("instructions", "How ChatGPT was told to answer", how),
        ):
            if text.strip():
                yield ForeignItem(key, _unwrap(text), title, "preference", "", at or None)


def _unwrap(text: str) -> str:
    """Return custom instructions without the words that ChatGPT puts around them."""
    found = re.search(r"```(.*?)```", text, re.DOTALL)
    return (found[1] if found else text).strip()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


_MARKS_OF_CLAUDE = (
    (_CONVERSATIONS, '"chat_messages"'),
    (_MEMORIES, '"conversations_memory"'),
    (_PROJECTS, '"prompt_template"'),
)
"""The files of an export, and what each has near its beginning."""


def _find_claude(tree: SourceTree) -> Sequence[str]:
    return [
        path
        for name, mark in _MARKS_OF_CLAUDE
        for path in tree.named(name)
        if mark in tree.read_beginning(path)
    ]


def _read_claude(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    """Yield Claude's memory by section, and each project's instructions and documents."""
    projects = {
        str(project.get("uuid")): project
        for path in files
        if path.endswith(_PROJECTS)
        for project in _read_list(tree, path)
    }
    for path in files:
        if path.endswith(_CONVERSATIONS):
            passed[path, _CHATS] += len(_read_list(tree, path))
        elif path.endswith(_MEMORIES):
            for account in _read_list(tree, path):
                yield from _split_memory("account", "", account.get("conversations_memory"))
                for id_, text in object_of(account.get("project_memories")).items():
                    yield from _split_memory(id_, _name_of(projects.get(id_)), text)
    for id_, project in projects.items():
        yield from _read_project(id_, project)


def _find_chats(tree: SourceTree) -> Sequence[str]:
    return [*_find_chatgpt(tree), *_find_claude(tree)]


def _read_chats(tree: SourceTree, _: Sequence[str], passed: PassedOver) -> Found:
    """Yield each message of the conversations of an export, in the thread of its conversation."""
    for path in tree.named(_MEMORIES, _PROJECTS):
        passed[path, "a file without conversations; `import claude` takes it in"] += 1
    for path in _name_conversations(tree):
        for chat in _read_list(tree, path):
            title = text_of(chat.get("title") or chat.get("name"))
            thread = text_of(chat.get("conversation_id") or chat.get("id") or chat.get("uuid"))
            made = _number(chat.get("create_time")) or read_instant(chat.get("created_at"))
            for number, turn in enumerate(_list_turns(chat)):
                # A second apart, so that messages without a time keep their order.
                at = turn.at or (made and made + number)
                if turn.text.strip():
                    yield ForeignItem(
                        turn.id, turn.text, f"{title}: {turn.who}", "memory", "", at,
                        ("chat",), thread=thread or f"{title} {made}",
                    )  # fmt: skip
                else:
                    passed[path, "a message without text"] += 1


def _name_conversations(tree: SourceTree) -> list[str]:
    """Return the files of conversations, which ChatGPT numbers: `conversations-000.json`."""
    return [one for one in tree.ending(".json") if _CONVERSATION_FILE.search(one)]


_CONVERSATION_FILE = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")


@dataclass(slots=True, frozen=True)
class _Turn:
    id: str
    who: str
    text: str
    at: float | None


def _list_turns(chat: Mapping[str, Any]) -> Iterator[_Turn]:
    """Yield the messages of a conversation of ChatGPT, along its last branch, or of Claude."""
    for message in objects_of(chat.get("chat_messages")):
        at = read_instant(message.get("created_at"))
        parts = (text_of(part.get("text")) for part in objects_of(message.get("content")))
        said = text_of(message.get("text")) or "\n".join(filter(None, parts))
        who = text_of(message.get("sender"))
        yield _Turn(text_of(message.get("uuid")), who, said, at)
    nodes = object_of(chat.get("mapping"))
    at_node = chat.get("current_node") or next(reversed(nodes), None)
    branch: list[_Turn] = []
    while isinstance(at_node, str) and at_node in nodes and len(branch) <= len(nodes):
        node = object_of(nodes[at_node])
        message = object_of(node.get("message"))
        who = text_of(object_of(message.get("author")).get("role"))
        said = "\n".join(texts_of(object_of(message.get("content")).get("parts")))
        if who in ("user", "assistant"):
            at = _number(message.get("create_time"))
            branch.append(_Turn(text_of(message.get("id")) or at_node, who, said, at))
        at_node = node.get("parent")
    yield from reversed(branch)


def _name_of(project: Mapping[str, Any] | None) -> str:
    return slugify(text_of((project or {}).get("name")), "")


def _split_memory(key: str, project: str, text: object) -> Iterator[ForeignItem]:
    """Yield the sections of a memory, which are under headings or lines in bold."""
    headed = re.sub(r"^\*\*([^*\n]+)\*\*\s*$", r"## \1", text_of(text), flags=re.MULTILINE)
    for section in split_sections(headed, 3):
        title = section.heading or "What Claude remembers"
        yield ForeignItem(f"{key}#{slugify(title, 'top')}", section.text, title, "memory", project)


def _read_project(id_: str, project: Mapping[str, Any]) -> Iterator[ForeignItem]:
    name, title = _name_of(project), text_of(project.get("name"))
    at = read_instant(project.get("created_at"))
    told = (text_of(project.get(key)).strip() for key in ("description", "prompt_template"))
    if text := "\n\n".join(filter(None, told)):
        yield ForeignItem(f"project-{id_}", text, f"Instructions of {title}", "workflow", name, at)
    for doc in objects_of(project.get("docs")):
        text = text_of(doc.get("content"))
        if text.strip():
            yield ForeignItem(
                str(doc.get("uuid")), text, text_of(doc.get("filename")), "domain-reference", name,
                read_instant(doc.get("created_at")) or at,
            )  # fmt: skip


_NOTION = re.compile(r"^(?P<title>.*) (?P<id>[0-9a-f]{32})(?:_all)?\.(?P<ending>md|csv)$")
_NOTION_LINK = re.compile(r"\[([^\[\]\n]*+)\]\(([^)\n]{1,300}?\.md)\)")
_NOTION_DATE = re.compile(r"^(?:Created(?: time)?|Date created): (.+)$", re.MULTILINE)


def _match_notion(path: str) -> re.Match[str] | None:
    return _NOTION.match(path.rpartition("/")[2])


def _find_notion(tree: SourceTree) -> Sequence[str]:
    return [path for path in tree.ending(".md", ".csv") if _match_notion(path)]


def _read_notion(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        named = _match_notion(path)
        if named is None:
            continue
        if named["ending"] == "csv":
            passed[path, "a table; its rows come in as pages"] += 1
            continue
        text = _NOTION_LINK.sub(_link_page, tree.read_text(path))
        made = _NOTION_DATE.search(text)
        title = text.partition("\n")[0].removeprefix("# ").strip() or named["title"]
        yield ForeignItem(
            named["id"],
            text,
            title,
            created=(read_date(made[1]) if made else None) or tree.date_of(path),
        )


def _link_page(link: re.Match[str]) -> str:
    """Return a link to a page of the same export as a wikilink."""
    target = _match_notion(unquote(link[2]))
    if target is None:
        return link[0]
    title = target["title"]
    return f"[[{title}]]" if link[1] == title else f"[[{title}|{link[1]}]]"


CHATGPT = WayIn(
    "chatgpt", "an export of ChatGPT: its memory of you", _find_chatgpt, _read_chatgpt,
    own_ids=True,
)  # fmt: skip
CLAUDE = WayIn(
    "claude", "an export of Claude: memory and projects", _find_claude, _read_claude, own_ids=True
)
CHATS = WayIn(
    "chats", "the conversations in an export of ChatGPT or Claude", _find_chats, _read_chats,
    own_ids=True,
)  # fmt: skip
NOTION = WayIn(
    "notion", "an export of Notion as markdown", _find_notion, _read_notion, own_ids=True
)
