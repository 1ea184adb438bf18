"""Any entry's file as a note: markdown, or a record of JSON, by the name's ending."""

from __future__ import annotations

from engrain.model.note.note import Note, decode_file, split_note


def parse_note(raw: bytes, path: str) -> Note:
    """The note in the bytes of the file at `path`. Raises MalformedError."""
    if not path.endswith(".json"):
        return split_note(raw)
    from engrain.model.note.json_note import read_json_note  # of the many entries few are records

    return read_json_note(decode_file(raw), path)
