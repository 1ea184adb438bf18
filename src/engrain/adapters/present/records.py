"""Values of the verbs as plain data, for JSON and for other ways in."""

from __future__ import annotations

from engrain.engine.core.outcomes import TaskRecall
from engrain.language.text.instants import format_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from engrain.engine.core.outcomes import (
        ChainReport,
        Finding,
        Imported,
        Listing,
        Outcome,
        Recall,
        Recalled,
        Shown,
        Undone,
    )
    from engrain.engine.history.devices import Attestation
    from engrain.seam.derived import MaintenanceReport
    from engrain.seam.rows import Row
    from engrain.seam.search import Change

Data: TypeAlias = "dict[str, object]"


def envelope(command: str, data: Data | None, error: Data | None = None) -> Data:
    """The one shape of every `--json` answer."""
    return {"ok": error is None, "command": command, "data": data, "error": error}


def describe_outcome(outcome: Outcome) -> Data:
    data: Data = {
        "id": outcome.id,
        "path": outcome.locator,
        "hash": outcome.hash,
        "outcome": outcome.outcome,
        "kind": outcome.kind,
        "title": outcome.title,
    }
    if outcome.decided:
        data["detected"] = {
            name: {"value": value, "by": tier} for name, (value, tier) in outcome.decided.items()
        }
    if outcome.other:
        data["other"] = outcome.other
    if outcome.redacted:
        data["redacted"] = list(outcome.redacted)
    if outcome.proposals:
        data["proposals"] = list(outcome.proposals)
    return data


def describe_recall(recall: Recall) -> Data:
    return {
        "results": [_describe_recalled(found) for found in recall.results],
        **describe_task(recall),
        "relevance": round(recall.relevance, 4),
        "rejected": recall.rejected,
        "withheld": recall.withheld,
        "nearest": [_describe_recalled(found) for found in recall.nearest],
        "over_budget": recall.over_budget,
        "tokens": recall.tokens,
        "embedder": recall.embedder,
        "model": recall.model,
        "degraded": recall.degraded,
        "elsewhere": recall.elsewhere,
        "exhausted": recall.exhausted,
    }


def describe_task(recall: Recall) -> Data:
    """What the recall before a task has besides, each entry in one line (S2.10); nothing of any
    other."""
    if not isinstance(recall, TaskRecall):
        return {}
    parts = {
        "relevant_patterns": recall.relevant_patterns,
        "avoid_these": recall.avoid_these,
        "applicable_skills": recall.applicable_skills,
    }
    return {name: [_summarise(found) for found in part] for name, part in parts.items()}


def _summarise(found: Recalled) -> Data:
    from engrain.engine.recall.retelling import summarise

    return {"id": found.row.id, "kind": found.row.kind, "summary": summarise(found)}


def _describe_recalled(found: Recalled) -> Data:
    return {
        **describe_row(found.row),
        "score": round(found.row.score, 6),
        "text": found.text,
        "part": found.part,
        "tokens": found.tokens,
        "contradicts": list(found.contradicts),
        **({"asking": found.asking} if found.asking else {}),
        **({"fact": found.fact} if found.fact else {}),
        **({"heading": found.heading} if found.heading else {}),
    }


def describe_row(row: Row) -> Data:
    return {
        "id": row.id,
        "path": row.locator,
        "kind": row.kind,
        "title": row.title,
        "status": row.status,
        "project": row.project,
        "tier": row.tier,
        "tags": list(row.tags),
        "source": row.source,
        "attested": row.attested,
        "created": instant_of(row.created),
        "updated": instant_of(row.updated),
        "hash": row.hash,
    }


def describe_listing(listing: Listing) -> Data:
    return {"results": [describe_row(row) for row in listing.rows], "total": listing.total}


def describe_shown(shown: Shown) -> Data:
    entry = shown.entry
    return {
        "id": entry.id,
        "path": shown.locator,
        "hash": entry.hash,
        "kind": entry.kind,
        "slug": entry.slug,
        "title": entry.title,
        "status": entry.status,
        "replaced": shown.replaced,
        "tier": entry.tier,
        "project": entry.project,
        "tags": list(entry.tags),
        "created": instant_of(entry.created),
        "updated": instant_of(entry.updated),
        "source": entry.source,
        "origin": shown.origin,
        "attested": shown.attested,
        "supersedes": entry.supersedes,
        "contradicts": [row.id for row in shown.contradicts],
        "fields": entry.fields,
        "text": entry.text,
        "links": [
            {"to": target, "relation": relation or None, "id": row.id if row else None}
            for target, relation, row in shown.links_from
        ],
        "linked_from": [
            {"id": row.id, "title": row.title, "relation": relation or None}
            for row, relation in shown.links_to
        ],
    }


def describe_changes(changes: Sequence[Change]) -> Data:
    return {
        "changes": [
            {
                "change": change.change,
                "at": format_instant(change.at),
                "op": change.op,
                "id": change.entry,
                "path": change.locator,
                "before": change.before_hash,
                "after": change.after_hash,
                "agent": change.agent,
                "trust": change.trust,
                "attested": change.attested,
                "undoes": change.undoes,
                "part_of": change.part_of,
                "files": change.files,
                "reason": change.reason,
            }
            for change in changes
        ]
    }


def describe_undone(undone: Undone) -> Data:
    return {
        "id": undone.entries[0] if undone.entries else None,
        "undone": undone.undone,
        "change": undone.change,
        "entries": list(undone.entries),
        "derived": [describe_row(row) for row in undone.derived],
        "cascaded": undone.cascaded,
        "erased": list(undone.erased),
    }


def describe_chains(reports: Sequence[ChainReport]) -> Data:
    return {
        "sound": not any(report.wrong for report in reports),
        "devices": [
            {
                "device": report.device,
                "changes": report.links,
                "attested": report.attested,
                "erased": report.erased,
                "cancelled": report.cancelled,
                "first": report.first,
                "wrong": report.wrong,
            }
            for report in reports
        ],
    }


def describe_attestation(found: Attestation) -> Data:
    return {
        "device": found.device,
        "key": found.has_key,
        **describe_chains(found.chains),
        "unattested": found.unattested,
    }


def describe_imported(imported: Imported) -> Data:
    return {
        "documents": imported.documents,
        "outcomes": imported.counts,
        "deleted": [{"path": path, "id": id_} for path, id_ in imported.deleted],
        "problems": [{"path": path, "message": message} for path, message in imported.problems],
        "detected": imported.tiers,
        "links": imported.links,
        "links_broken": imported.broken,
        "redacted": imported.redacted,
    }


def describe_maintenance(report: MaintenanceReport) -> Data:
    return {
        "seen": report.seen,
        "indexed": report.changed,
        "dropped": report.dropped,
        "problems": report.problems,
    }


def describe_findings(findings: Sequence[Finding], preview: Sequence[str]) -> Data:
    return {
        "resolution": list(preview),
        "findings": [
            {
                "subject": finding.subject,
                "level": finding.level,
                "message": finding.message,
                "path": finding.path,
                "line": finding.line,
                "reason": finding.reason,
                "remedy": finding.remedy,
            }
            for finding in findings
        ],
    }


def instant_of(at: float | None) -> str | None:
    """An instant as it is told, None for none."""
    return None if at is None else format_instant(at)
