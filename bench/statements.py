"""What is kept of a person's words, and what a later statement retires.

python -m bench.statements                 both halves
python -m bench.statements --split dev     the half that may be looked at
python -m bench.statements --json          with the ids of the misses

`data/statements/README.md` says what the messages are. Each is read as a turn of a session. For
a withdrawal the earlier statements are filed in a vault of their own, once as active entries and
once in the inbox; then the later one is learned from a transcript.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bench.labelled import LABELLED, SPLITS, Figures, read_lines, run, share
from bench.sets.asking import open_temporary
from engrain.engine.core.scope import Scope
from engrain.language.prompts import prompt_in
from engrain.language.text.instants import format_instant
from engrain.learn.reflection.by_rules import find_statements
from engrain.model.facts.fact import OPERATOR, Turn

FOLDER = LABELLED / "statements"
_AT = 1_790_000_000.0
_DAY = 86_400.0


class Retired(NamedTuple):
    """The numbers of the earlier statements that are over, and of those that a person is asked
    about."""

    over: set[int]
    asked: set[int]


def read_kept(text: str) -> list[str]:
    """Return the quotes that learning keeps of a message."""
    prompt = prompt_in(text)
    turns = [Turn("", OPERATOR, prompt, _AT, "1")] if prompt else []
    return [found.quote for found in find_statements(turns)]


def retire(item: dict[str, Any], status: str) -> Retired:
    """File the earlier statements of a withdrawal, learn the later one and return what became of
    the earlier ones. A single one is said in the same session."""
    earlier, later = item["earlier"], item["later"]
    with open_temporary("") as memory, TemporaryDirectory() as folder:
        if len(earlier) == 1:
            path = _write(Path(folder), [*earlier, later], _AT)
        else:
            for number, text in enumerate(earlier):
                memory.save(
                    f"> {text}", title=text.rstrip("."), kind="preference", status=status,
                    source="session", ref="s1", created=format_instant(_AT + number),
                )  # fmt: skip
            path = _write(Path(folder), [later], _AT + 9 * _DAY)
        memory.sessions.reflect([str(path)])
        rows = memory.list(scope=Scope(all_projects=True, include_inbox=True)).rows
        live = {row.title: row.id for row in rows if row.status in ("active", "inbox")}
        numbers = {live.get(text.rstrip(".")): number for number, text in enumerate(earlier)}
        asked = {
            numbers[other.id]
            for id_ in live.values()
            if id_ not in numbers
            for _, relation, other in memory.show(id_).links_from
            if relation == "contradicts" and other and other.id in numbers
        }
    over = {n for n, text in enumerate(earlier) if text.rstrip(".") not in live}
    return Retired(over, asked)


def _write(folder: Path, texts: Sequence[str], at: float) -> Path:
    """Write a transcript as Claude Code does."""
    lines = [
        {
            "type": "user", "sessionId": f"s{at}", "uuid": f"u{n}", "cwd": "",
            "timestamp": format_instant(at + 10 * n), "message": {"role": "user", "content": text},
        }
        for n, text in enumerate(texts)
    ]  # fmt: skip
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def measure(splits: Sequence[str] = SPLITS) -> Figures:
    """Read the messages of the halves, and count."""
    kept, negatives, withdrawals = (
        [each for each in read_lines(FOLDER / f"{name}.jsonl") if each["split"] in splits]
        for name in ("kept", "negatives", "withdrawals")
    )
    found = {each["id"]: read_kept(each["text"]) for each in (*kept, *negatives)}
    right = {each["id"] for each in kept if any(each["keep"] in q for q in found[each["id"]])}
    wrong = [each["id"] for each in negatives if found[each["id"]]]
    quotes = sum(map(len, found.values()))
    became = {
        (each["id"], status): retire(each, status)
        for each in withdrawals
        for status in (("active", "inbox") if len(each["earlier"]) > 1 else ("active",))
    }
    by_id = {each["id"]: each for each in withdrawals}
    held = {
        key: done.over == set(by_id[key[0]]["retires"]) and done.asked >= set(by_id[key[0]]["asks"])
        for key, done in became.items()
    }
    typed = {each["id"]: bool(prompt_in(each["text"])) for each in negatives}
    return {
        "statements": len(kept),
        "kept, of those stated": share(e["id"] in right for e in kept if e["sort"] == "stated"),
        "kept, of those to be remembered": share(
            e["id"] in right for e in kept if e["sort"] == "asked"
        ),
        "kept, of what a project uses or does": share(
            e["id"] in right for e in kept if e["sort"] == "project"
        ),
        "precision": round(len(right) / quotes, 3) if quotes else None,
        "messages of which nothing is kept": len(negatives),
        "harness text that is taken for a prompt": sum(
            typed[e["id"]] for e in negatives if e["sort"] == "harness"
        ),
        "withdrawals": len(withdrawals),
        "right, of those that retire": share(v for k, v in held.items() if by_id[k[0]]["retires"]),
        "asked, of those that may mean two": share(
            v for k, v in held.items() if by_id[k[0]]["asks"]
        ),
        "retired wrongly": sum(
            bool(done.over - set(by_id[key[0]]["retires"])) for key, done in became.items()
        ),
        "missed": [e["id"] for e in kept if e["id"] not in right],
        "kept wrongly": wrong,
        "kept besides": [e["id"] for e in kept if len(found[e["id"]]) > (e["id"] in right)],
        "not silent": [i for i, is_typed in typed.items() if is_typed and i[:7] == "harness"],
        "withdrawn wrongly": [" ".join(key) for key, is_right in held.items() if not is_right],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    run("statements", __doc__, measure, arguments)


if __name__ == "__main__":
    main()
