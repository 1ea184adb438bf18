"""Renders figures as tables of markdown."""

from __future__ import annotations

from typing import Any

Rows = tuple[tuple[str, str], ...]
"""Row title -> how it is read out of one size's figures."""

SPINE = (
    ("durable save, p50 / p99", "{save[p50_ms]} / {save[p99_ms]} ms"),
    ("… bare write, fsync, rename, fsync folder, p50", "{save[floor][p50_ms]} ms"),
    ("… **ratio**", "**{save[ratio]}**"),
    ("bulk import", "{import[entries_per_s]}/s"),
    ("… reading and hashing the same files", "{import[floor_entries_per_s]}/s"),
    ("… **ratio**", "**{import[ratio]}**"),
    ("recall, warm, with the scan, p50 / p95", "{recall[with_scan][p50_ms]} / {recall[with_scan][p95_ms]} ms"),
    ("recall, warm, without, p50 / p95", "{recall[without][p50_ms]} / {recall[without][p95_ms]} ms"),
    ("`engrain recall`, cold process, p50 / p95", "{cold[p50_ms]} / {cold[p95_ms]} ms"),
    ("… `python -c pass`, p50", "{cold[floor][p50_ms]} ms"),
    ("… **ratio**", "**{cold[ratio]}**"),
    ("full rebuild", "{rebuild[seconds]} s, peak {rebuild[peak_mib]} MiB"),
    ("… reading and hashing, **ratio**", "{rebuild[floor_seconds]} s, **{rebuild[ratio]}**"),
    ("scan that finds no change", "{scan[seconds]} s, peak {scan[peak_mib]} MiB"),
    ("… stat of the same files, **ratio**", "{scan[floor_seconds]} s, **{scan[ratio]}**"),
    ("{writers[processes]} processes saving at once", "{writers[saves_per_s]} saves/s, p99 {writers[p99_ms]} ms"),
    ("… lost; history", "{writers[lost]}; {writers[history]}"),
    ("index, bytes an entry", "{index_bytes_per_entry}"),
)  # fmt: skip

_WARM = (
    ("recall, warm, {0}, p50 / p95", "{PART[p50_ms]} / {PART[p95_ms]} ms"),
    ("… bare full text, p50", "{PART[full_text][p50_ms]} ms"),
)
_COLD = (
    ("recall in a cold process, {0}, p50", "{PART[cold][recall][p50_ms]} ms"),
    ("… **ratio** to `python -c pass`", "**{PART[cold][recall][ratio]}**"),
    ("`engrain recall` with the scan, {0}, p50", "{PART[cold][cli][p50_ms]} ms"),
    ("… **ratio**", "**{PART[cold][cli][ratio]}**"),
    ("peak memory after 200 recalls, {0}", "{PART[peak_mib]} MiB"),
)


_HOOK = (
    ("{0}, p50 / p95", "{PART[p50_ms]:.1f} / {PART[p95_ms]:.1f} ms"),
    ("… **ratio**, of p50 / of p95{1}", "**{PART[ratio]}** / **{PART[ratio_p95]}**"),
)
_FLOOR = (
    ("`python -c pass` {0}, p50 / p95", "{PART[floor][p50_ms]:.1f} / {PART[floor][p95_ms]:.1f} ms"),
)
_PROMPT = (
    *_HOOK,
    ("… `python -c pass`, p50 / p95", "{PART[floor][p50_ms]:.1f} / {PART[floor][p95_ms]:.1f} ms"),
    ("… p50 over that at {entries:,} entries{2}", "{PART[growth]}"),
    ("… with something to say; out of time", "{PART[answered]}; {PART[lost]}"),
)
_START = (
    ("MCP, from spawn to {0}, p50 / p95", "{PART[p50_ms]:.0f} / {PART[p95_ms]:.0f} ms"),
    ("… {1}, p50", "{PART[floor][p50_ms]:.1f} ms"),
    ("… **ratio**{2}", "**{PART[ratio]}**"),
)  # fmt: skip


def _rows(rows: Rows, part: str, *told: str) -> list[tuple[str, str]]:
    """The rows of one part, {0} and so on in their titles being what is told of it."""
    named = []
    for title, template in rows:
        for place, words in enumerate(told):
            title = title.replace(f"{{{place}}}", words)
        named.append((title, template.replace("PART", part)))
    return named


def _hosts(way: str, told: str) -> list[tuple[str, str]]:
    """The rows of what a host asks for first, one way."""
    goals = {
        "initialize": ("the handshake", "`python -c pass`", " (goal 3)"),
        "list": ("the list of tools", "`python -c pass`", " (goal 3)"),
        "recall": ("the answer to a recall", "`engrain recall`", " (goal 1.5)"),
    }
    return [
        row
        for name, (what, floor, goal) in goals.items()
        for row in _rows(_START, f"start[{way}][{name}]", f"{what}, {told}", floor, goal)
    ]


RECALL = (
    *_rows(_WARM, "words", "words alone"),
    ("… **ratio**", "**{words[ratio]}**"),
    *_rows(_WARM, "vectors", "with vectors"),
    ("… bare scan of all vectors, p50", "{vectors[scan][p50_ms]} ms"),
    ("… **ratio** to both together", "**{vectors[ratio]}**"),
    ("… of the ten nearest by the scan, found", "{vectors[nearest_in_exact_ten]}"),
    *_rows(_COLD, "words", "words alone"),
    *_rows(_COLD, "vectors", "with vectors"),
    (
        "before a task, words alone, p50 / p95",
        "{task[task][p50_ms]:.1f} / {task[task][p95_ms]:.1f} ms",
    ),
    ("… a prompt in the same vault, p50", "{task[prompt][p50_ms]:.1f} ms"),
    ("… **ratio**", "**{task[ratio]}**"),
    (
        "… cold process, p50 / p95 (goal 300 ms)",
        "{task[cold][task][p50_ms]:.0f} / {task[cold][task][p95_ms]:.0f} ms",
    ),
    ("… **ratio** to a prompt's", "**{task[cold][ratio]}**"),
    ("vectors", "{embedding[vectors]}, {embedding[origin]}"),
    ("… given them", "{embedding[per_s]}/s"),
    ("… looked through, none missing", "{embedding[none_missing_s]} s"),
    ("index, bytes an entry", "{index_bytes_per_entry}"),
    ("vectors, bytes an entry", "{vector_bytes_per_entry}"),
)


_GROWTH = " (goal 1.5 at 100,000)"

HOOKS = (
    *_rows(_PROMPT, "words", "prompt, words alone", " (goal 4 at 100,000)", _GROWTH),
    *_rows(_PROMPT, "static", "prompt, with vectors", " (goal 8 at 100,000)", _GROWTH),
    *_rows(_PROMPT, "words_served", "prompt, server up", " (goal 3 at 100,000)", ""),
    *_rows(_PROMPT, "static_served", "prompt, server up, with vectors", " (goal 3 at 100,000)", ""),
    *_rows(_FLOOR, "busy_prompt", "while a compiler uses every core"),
    *_rows(_HOOK, "busy_prompt", "prompt, words alone, while a compiler uses every core", ""),
    ("… with something to say; out of time", "{busy_prompt[answered]}; {busy_prompt[lost]}"),
    *_rows(_HOOK, "busy_start", "session start, while a compiler uses every core", ""),
    ("… with something to say; out of time", "{busy_start[answered]}; {busy_start[lost]}"),
    (
        "session starts beside four compilers a core, missed; made up for by a prompt",
        "{missed[missed]} of {missed[starts]}; {missed[made_up]}",
    ),
    ("… no prompt's hook completed", "{missed[incomplete]}"),
    *_rows(_FLOOR, "prompt_1_mb", "beside large prompts"),
    *_rows(_HOOK, "prompt_1_mb", "a prompt of 1 MB, words alone", ""),
    *_rows(_HOOK, "prompt_10_mb", "a prompt of 10 MB, words alone", ""),
    *_rows(_FLOOR, "session_start", "beside what follows"),
    *_rows(_HOOK, "session_start", "session start", " (goal 5)"),
    *_rows(_HOOK, "stop", "stop", ""),
    *_rows(_HOOK, "pre_compact", "before compaction", ""),
    *_rows(_HOOK, "session_end", "session end", ""),
)

MCP = (
    *_rows(_START, "start[http]", "the list of tools, HTTP", "importing FastMCP", ""),
    *_hosts("alone", "stdio"),
    *_hosts("bridged", "stdio, server up"),
    ("from the death of the bridge that answers hooks until another does, p50 / p95", "{takeover[p50_ms]:.0f} / {takeover[p95_ms]:.0f} ms"),
    ("search through the official client, p50 / p95", "{search[p50_ms]:.1f} / {search[p95_ms]:.1f} ms"),
    ("… the same recall in the process, p50", "{search[floor][p50_ms]:.1f} ms"),
    ("… **ratio**", "**{search[ratio]}**"),
    ("sessions opened and dropped, at once", "{sessions[opened]}, {sessions[at_once]}; {sessions[per_s]}/s"),
    ("… memory before, at most, after", "{sessions[fresh_mib]}, {sessions[highest_mib]}, {sessions[after_mib]} MiB"),
    ("… **more after than before** (goal 20 MiB)", "**{sessions[more_mib]} MiB**"),
    ("… descriptors kept by a first hundred; more after a thousand; processes", "{sessions[kept_descriptors]}; {sessions[more_descriptors]}; {sessions[children]}"),
    ("… files left by the stopped server, but its token", "{left}"),
)  # fmt: skip


_NONE = "–"


def render(machine: dict[str, str], results: list[dict[str, Any]], rows: Rows) -> str:
    """A table with a column a size, under a line about the machine and the text."""
    told = ", ".join(f"{value}" for value in machine.values())
    text = f" Text: {results[0]['text']}." if "text" in results[0] else ""
    lines = [
        f"Machine: {told} (load when it ended).{text}",
        "",
        "| | " + " | ".join(f"{result['entries']:,} entries" for result in results) + " |",
        "|---|" + "---|" * len(results),
    ]
    for title, template in rows:
        cells = [_fill(template, result) for result in results]
        if any(cell != _NONE for cell in cells):
            lines.append(f"| {title.format(**results[0])} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _fill(template: str, result: dict[str, Any]) -> str:
    """A cell; a dash for what was not measured at that size."""
    try:
        return template.format(**result)
    except KeyError:
        return _NONE
