"""Changing an entry's text, in place or by a successor; who was faster is never overwritten."""

from __future__ import annotations

from difflib import unified_diff

from engrain.adapters.web.asking import PREFIX, Answer, Ask, Moved, Page
from engrain.adapters.web.markup import find_url
from engrain.adapters.web.pages.entry import acting
from engrain.engine.verbs.listing import Shown
from engrain.model.errors import ConflictError, UsageError


def show(ask: Ask) -> Answer:
    shown = ask.memory.show(ask.get("id"))
    entry = shown.entry
    return _form(shown, entry.text, entry.title, ", ".join(entry.tags))


def edit(ask: Ask) -> Answer:
    """Change an entry in place, if it is what the form was made from."""
    shown = ask.memory.show(ask.sent("id"))
    entry, text = shown.entry, _read_text(ask, shown)
    title, tags = " ".join(ask.sent("title").split()), _read_tags(ask.sent("tags"))
    if ask.sent("expect") != entry.hash:
        return _conflict(ask, shown, text)
    new_text = None if text == entry.text else text
    new_title = None if title in ("", entry.title) else title
    new_tags = None if tags == list(entry.tags) else tags
    if new_text is None and new_title is None and new_tags is None:
        return Moved(_back(entry.id), "Nothing was changed.")
    try:
        outcome = acting(ask.memory, shown).edit(
            shown.locator, expect=entry.hash, text=new_text, title=new_title, tags=new_tags
        )
    except ConflictError:
        now = ask.memory.show(ask.sent("id"))
        if now.entry.hash == entry.hash:
            raise
        return _conflict(ask, now, text)
    return Moved(_back(outcome.id), _say("Saved.", outcome.redacted))


def evolve(ask: Ask) -> Answer:
    """Put a successor in an entry's place, and archive the old one."""
    shown = ask.memory.show(ask.sent("id"))
    text = _read_text(ask, shown)
    if not text.strip():
        raise UsageError("the successor has no text")
    if ask.sent("expect") != shown.entry.hash:
        return _conflict(ask, shown, text)
    outcome = acting(ask.memory, shown).evolve(
        shown.locator,
        text,
        title=" ".join(ask.sent("title").split()) or None,
        tags=_read_tags(ask.sent("tags")),
        reason=ask.sent("reason"),
        expect=shown.entry.hash,
    )
    return Moved(_back(outcome.id), _say("This is the successor now.", outcome.redacted))


def _form(shown: Shown, text: str, title: str, tags: str) -> Page:
    values = {"shown": shown, "entry": shown.entry, "text": text, "title": title, "tags": tags}
    return Page("edit.html", {**values, "diff": None})


def _conflict(ask: Ask, shown: Shown, text: str) -> Page:
    """Both versions: the form with what was written here, and how what stands there now differs."""
    page = _form(shown, text, ask.sent("title"), ask.sent("tags"))
    lines = unified_diff(
        shown.entry.text.splitlines(), text.splitlines(), "there now", "yours", lineterm=""
    )
    return Page(page.template, {**page.values, "diff": list(lines)}, 409)


def _read_text(ask: Ask, shown: Shown) -> str:
    """The text that was sent. Browsers send every line end as CR LF, whatever it was."""
    text = ask.sent("text").replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in shown.entry.text else text


def _read_tags(text: str) -> list[str]:
    return [tag.strip() for tag in text.split(",") if tag.strip()]


def _say(told: str, redacted: tuple[str, ...]) -> str:
    return f"{told} Replaced as secrets: {', '.join(redacted)}." if redacted else told


def _back(id_: str) -> str:
    return find_url(id_).removeprefix(PREFIX)
