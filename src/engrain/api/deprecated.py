"""The names of a memory's methods before version 0.2: they warn, and are removed with 0.3."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from warnings import warn

ENDS = "0.3.0"
"""The first version without these names and this module."""

NEW = {
    old: f"{space}.{new}"
    for space, names in {
        "facts": "add_fact=add add_facts=add_all fact=show forget_fact=forget settle_fact=settle"
        " entities entity entity_summary=summary merge_entities=merge split_entity=split"
        " rename_entity=rename add_alias reindex_entities=reindex extract synthesize",
        "sessions": "session=open begin_session=begin end_session=end fold_sessions=fold"
        " note_recalled note_used reflect crystallize",
        "jobs": "run_jobs=run job_status=status job_log=log request_jobs=request"
        " job_requests=requests dream",
        "graph": "neighbors path around graph=read graph_stats=stats",
        "links": "check_links=check suggest_links=suggest mend_successions map check_map",
        "skills": "skills=list show_skill=show find_skills=find add_skill=add"
        " note_skill_use=note_use draft_skills=draft import_skill=import_folder"
        " export_skill=export",
        "episodes": "episode=record save_episode=save episodes=list read_episode=read"
        " recover_episodes=recover write_episode_index=write_index consolidate statistics"
        " add_signals",
        "handoffs": "create_handoff=create handoffs=list handoff=show claim_handoff=claim"
        " save_ledger ledger=show_ledger ledgers=list_ledgers save_checkpoint load_checkpoint"
        " checkpoints=list_checkpoints",
        "work": "continuity=write_continuity read_continuity keep_continuity drop_references plan"
        " set_plan features set_feature progress add_progress begin_phase end_phase today"
        " read_today commitments settle_commitment",
        "sources": "add_source=add add_host_source=add_host detect_sources=detect sources=list"
        " remove_source=remove approve_source=approve approved_sources=approved"
        " disapprove_source=disapprove learn research",
        "exchange": "import_claude_memory import_chats import_transcript import_loki=import_layout"
        " import_living=import_layout import_three_layer=import_layout export_loki=export_layout"
        " export_living=export_layout export_three_layer=export_layout",
        "review": "proposals=list show_proposal=show propose propose_mending accept accept_all"
        " reject expire_proposals=expire triage digest note_look",
        "trust": "attest attest_all outside survey_attestation=survey recognise_key attest_again"
        " export_history",
        "personal": "personal=open personal_uses=uses link_personal=link"
        " propose_personal_archive=propose_archive",
    }.items()
    for old, _, new in (name.partition("=") for name in names.split())
    for new in (new or old,)
} | {"recall_in": "recall"}
"""Each old name, and the present name."""

LAYOUTS = {
    f"{verb}_{layout.replace('-', '_')}": layout
    for verb in ("import", "export")
    for layout in ("loki", "living", "three-layer")
}
"""The old names that contain a layout, which is the first argument now."""


def find_old(memory: Any, name: str) -> Callable[..., Any]:
    """Return the method that an old name means. Raises AttributeError for any other name."""
    if name not in NEW:
        raise AttributeError(f"'Memory' object has no attribute {name!r}")
    _warn(name)
    if name == "recall_in":
        return _recall_in(memory)
    method = _find(memory, NEW[name])
    return partial(method, LAYOUTS[name]) if name in LAYOUTS else method


def call_old(space: object, *args: Any, **named: Any) -> Any:
    """Call a namespace that was a method before."""
    name = type(space).__name__.removesuffix("Notes").lower()
    if name not in NEW:
        raise TypeError(f"'{type(space).__name__}' object is not callable")
    _warn(name)
    return _find(space, NEW[name].partition(".")[2])(*args, **named)


def _find(holder: object, path: str) -> Callable[..., Any]:
    for part in path.split("."):
        holder = getattr(holder, part)
    assert callable(holder)
    return holder


def _warn(name: str) -> None:
    warn(
        f"`memory.{name}` is `memory.{NEW[name]}` now, and ends with engrain {ENDS}",
        DeprecationWarning,
        stacklevel=4,
    )


def _recall_in(memory: Any) -> Callable[..., Any]:
    def recall_in(session: str | None, query: str, **options: Any) -> Any:
        session = memory.sessions.current() if session is None else session
        return memory.recall(query, session=session, **options)

    return recall_in
