"""The paths in links (S1.8, S1.11)."""

from __future__ import annotations

from engrain.language.text.folding import fold
from engrain.model.links.link import note_name

_FILES = (
    "3gp avif base bmp canvas csv doc docx epub excalidraw flac gif heic htm html ics jpeg jpg json"
    " key m4a mkv mov mp3 mp4 odt ogg ogv pages pdf png ppt pptx psd rtf svg tex tif tiff tldraw"
    " tsv txt wav webm webp xls xlsx xml yaml yml zip"
)
FILES = frozenset(_FILES.split())
"""Endings of files that notes embed and link to: Obsidian's accepted formats, and other formats
that people keep beside notes."""


def leads_to_file(written: str) -> bool:
    """Whether a link names a file that is no note."""
    stem, dot, ending = note_name(written).rpartition(".")
    return bool(stem and dot) and fold(ending) in FILES


def is_at(written: str, place: str, title: str, folder: str) -> bool:
    """Whether the path of a link in `folder` fits the note at `place`: as a whole, by its end, or
    relative. A name without a path fits every place, and so does a title with a slash."""
    name = fold(note_name(written))
    if "/" not in name or name == fold(title):
        return True
    stem = fold(place).removesuffix(".md")
    if name.startswith(("./", "../")):
        return resolve_path(name, fold(folder)) == stem
    return f"/{stem}".endswith("/" + name.strip("/"))


def resolve_path(path: str, folder: str) -> str:
    """Return the path from the vault's root of a relative path in a link in `folder`."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
