"""The figures as the tables of `docs/performance.md`."""

from __future__ import annotations

from typing import Any

# Row title -> how it is read out of one size's figures.
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


def _rows(rows: tuple[tuple[str, str], ...], part: str, told: str) -> list[tuple[str, str]]:
    return [
        (title.replace("{0}", told), template.replace("PART", part)) for title, template in rows
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
    ("vectors", "{embedding[vectors]}, {embedding[origin]}"),
    ("… given them", "{embedding[per_s]}/s"),
    ("… looked through, none missing", "{embedding[none_missing_s]} s"),
    ("index, bytes an entry", "{index_bytes_per_entry}"),
    ("vectors, bytes an entry", "{vector_bytes_per_entry}"),
)


def render(
    machine: dict[str, str], results: list[dict[str, Any]], rows: tuple[tuple[str, str], ...]
) -> str:
    """A table with a column a size, under a line about the machine and the text."""
    told = ", ".join(f"{value}" for value in machine.values())
    lines = [
        f"Machine: {told} (load when it ended). Text: {results[0]['text']}.",
        "",
        "| | " + " | ".join(f"{result['entries']:,} entries" for result in results) + " |",
        "|---|" + "---|" * len(results),
    ]
    for title, template in rows:
        cells = " | ".join(_fill(template, result) for result in results)
        lines.append(f"| {title.format(**results[0])} | {cells} |")
    return "\n".join(lines) + "\n"


def _fill(template: str, result: dict[str, Any]) -> str:
    """A cell; a dash for what was not measured at that size."""
    try:
        return template.format(**result)
    except KeyError:
        return "–"
