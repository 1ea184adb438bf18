"""Replaces secrets in everything that a verb is about to write.

Names, tags and index terms are made from the redacted text, so that a secret reaches no file,
index, journal or history. The setting `redact = off` lets text through unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from engrain.language.secrets.finding import redact
from engrain.language.text.fences import without_private
from engrain.model.errors import MalformedError, UsageError
from engrain.model.experience.ledger import check_name
from engrain.model.note.json_note import JsonNote, parse_note
from engrain.model.note.note import Note

if TYPE_CHECKING:
    from engrain.model.note.field import Value

    class Configured(Protocol):
        """An object with settings, such as a store."""

        @property
        def settings(self) -> Mapping[str, str | None]: ...


class Redaction:
    """Replaces secrets in the texts of one write, and remembers which rules found them."""

    __slots__ = ("_found", "_keys", "_on")

    def __init__(self, store: Configured) -> None:
        self._on = store.settings.get("redact") != "off"
        self._found: dict[str, None] = {}
        self._keys: dict[str, str] = {}

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that found a secret, and `private` for text that was marked so, each once, in
        the order of their first hit."""
        return tuple(self._found)

    def finds(self, texts: Iterable[str | None]) -> bool:
        """Whether any of several texts contains a secret or a part that is marked as private;
        faster than `clean` for each."""
        text = "\n".join(text for text in texts if text)
        return without_private(text) != text or (self._on and bool(redact(text)[1]))

    def clean(self, text: str) -> str:
        """Return the text with a placeholder for every secret, and without what is marked as
        private, whatever the setting."""
        public = without_private(text)
        if public != text:
            self._found["private"] = None
        return self._replace(public)

    def _replace(self, text: str) -> str:
        """Return the text with a placeholder for every secret."""
        if not self._on:
            return text
        cleaned, rules = redact(text)
        self._found |= dict.fromkeys(rules)
        return cleaned

    def clean_given(self, text: str | None) -> str | None:
        """Return the cleaned text, or None for None."""
        return None if text is None else self.clean(text)

    def clean_note(self, note: Note) -> Note:
        """Return a note by another program, without secrets in its text and frontmatter. What a
        person marked as private in a note stays, and is left out where the note is given. Raises
        MalformedError if a secret in the frontmatter is in no value, and can't be replaced without
        changing how the rest is read."""
        if isinstance(note, JsonNote):
            document, own = self.clean_values(note.document), self.clean_values(note.own)
            same = document == note.document and own == note.own
            return note if same else JsonNote(note.kind, document, own)
        body = self._replace(note.body)
        if body != note.body:
            note = Note(note.head, note.front, note.fence, body)
        if not self._on or not redact(note.front)[1]:
            return note
        fields = {key: self._clean_value(key, value) for key, value in note.fields.items()}
        note = note.patch({key: fields[key] for key in fields if fields[key] != note.fields[key]})
        # The remaining secrets are in comments or in keys.
        cleaned = Note(note.head, self._replace(note.front), note.fence, note.body)
        try:
            same = list(cleaned.fields.items()) == list(note.fields.items())
        except MalformedError:
            same = False
        if not same:
            raise MalformedError(
                "its frontmatter has a secret that is no value",
                reason="secret",
                remedy="take it out in an editor",
            )
        return cleaned

    def clean_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields without secrets, in their names and in nested values too."""
        cleaned: dict[str, Any] = {}
        for name, value in values.items():
            key = self._keys.get(name)  # records repeat the same few names
            if key is None:
                key = self._keys[name] = self.clean(str(name))
            if key in cleaned:
                key = f"{key} {len(cleaned)}"  # two redacted keys may be equal
            cleaned[key] = self._clean_value(key, value)
        return cleaned

    def _clean_value(self, key: str, value: Value) -> Value:
        if isinstance(value, list | tuple):
            return [self._clean_value(key, part) for part in value]
        if isinstance(value, dict):
            return self.clean_values(value)
        if value is None or isinstance(value, bool):
            return value
        # Some secrets are only recognised by the key before them.
        before = f"{key}: "
        said = self.clean(f"{before}{value}")
        if said == f"{before}{value}":
            return value
        return said.removeprefix(before) if said.startswith(before) else self.clean(str(value))


def clean_name(store: Configured, name: str, what: str) -> str:
    """Return a name for a document and a path, without secrets; `what` names it in the error.
    Raises UsageError if it is not valid."""
    return clean_text(store, check_name(name, what))


def check_text(text: str, what: str = "text") -> str:
    """Return a text if it can be written, else raise UsageError; `what` names it in the error."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the {what} is not valid Unicode", remedy="give UTF-8 text") from None
    if "\0" in text:
        raise UsageError(f"the {what} holds a NUL character", remedy="give text, not binary data")
    return text


def clean_text(store: Configured, text: str) -> str:
    """Return the text with a placeholder for every secret."""
    return Redaction(store).clean(text)


def clean_file(store: Configured, path: str, raw: bytes) -> bytes:
    """Return the bytes of a file by another program, with a placeholder for every secret."""
    redaction = Redaction(store)
    try:
        return redaction.clean_note(parse_note(raw, path)).raw
    except MalformedError:
        return redaction.clean(raw.decode(errors="replace")).encode()
