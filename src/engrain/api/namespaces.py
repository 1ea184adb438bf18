"""The namespaces of a memory: each method is a function of the floors below, which documents it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.api.binding import (
    Holder,
    Later,
    claimed,
    looked,
    opened,
    personal,
    ready,
    reopened,
    scanned,
)

if TYPE_CHECKING:
    import engrain.agents.checkpoints
    import engrain.agents.continuity
    import engrain.agents.features
    import engrain.agents.handoffs
    import engrain.agents.harness
    import engrain.agents.phases
    import engrain.agents.references
    import engrain.api.composed
    import engrain.api.crystals
    import engrain.api.learning
    import engrain.api.transcripts
    import engrain.engine.core.attesting
    import engrain.engine.core.contradictions
    import engrain.engine.entities.daily
    import engrain.engine.entities.facts
    import engrain.engine.entities.merging
    import engrain.engine.entities.pages
    import engrain.engine.entities.resolution
    import engrain.engine.episodes.episode
    import engrain.engine.episodes.recording
    import engrain.engine.episodes.skills
    import engrain.engine.graph
    import engrain.engine.history.verification
    import engrain.engine.indexes
    import engrain.engine.links.checking
    import engrain.engine.links.linking
    import engrain.engine.verbs.claude_import
    import engrain.engine.verbs.commitments
    import engrain.learn.forward.run
    import engrain.learn.sources.filing
    import engrain.learn.sources.reading
    import engrain.learn.transcripts.filing
    import engrain.lifecycle.ageing.decay
    import engrain.lifecycle.ageing.sessions
    import engrain.lifecycle.consolidating.running
    import engrain.lifecycle.consolidating.skill_drafts
    import engrain.lifecycle.dreaming.missing_links
    import engrain.lifecycle.dreaming.run
    import engrain.lifecycle.jobs.runner
    import engrain.lifecycle.reviewing.review
    import engrain.lifecycle.reviewing.staging
    import engrain.lifecycle.sessions.folding
    import engrain.lifecycle.sessions.marked
    import engrain.lifecycle.sessions.open_session
    import engrain.lifecycle.sessions.recall
    import engrain.lifecycle.sessions.statistics
    import engrain.lifecycle.synthesizing.running
    import engrain.lifecycle.upkeep.digest
    from engrain.engine.core.outcomes import Outcome
else:
    engrain = Later("engrain")


class Facts(Holder):
    """People, companies and projects, and what is known of them (S4.1, S4.2)."""

    add = opened(engrain.engine.entities.facts.add_fact)
    add_all = opened(engrain.engine.entities.facts.add_facts)
    show = ready(engrain.engine.entities.merging.show_fact)
    forget = opened(engrain.engine.entities.merging.forget_fact)
    settle = opened(engrain.engine.entities.merging.settle_fact)
    entities = looked(engrain.engine.entities.resolution.list_entities)
    entity = ready(engrain.engine.entities.resolution.open_entity_known)
    summary = ready(engrain.engine.entities.pages.summarize_entity)
    merge = opened(engrain.engine.entities.merging.merge_entities)
    split = opened(engrain.engine.entities.merging.split_entity)
    rename = opened(engrain.engine.entities.merging.rename_entity)
    add_alias = opened(engrain.engine.entities.merging.add_alias)
    reindex = scanned(engrain.engine.indexes.write_entity_index)
    extract = claimed(engrain.api.learning.extract)
    synthesize = claimed(engrain.lifecycle.synthesizing.running.synthesize)


class Sessions(Holder):
    """Sessions of work: recalls in one are counted, bounded and not repeated (S3.4, S3.9)."""

    open = reopened(engrain.lifecycle.sessions.open_session.OpenSession)
    begin = opened(engrain.lifecycle.sessions.folding.begin)
    end = opened(engrain.lifecycle.sessions.folding.end)
    current = opened(engrain.lifecycle.sessions.folding.name_current)
    fold = opened(engrain.lifecycle.sessions.folding.fold_ended)
    note_recalled = opened(engrain.lifecycle.sessions.recall.note_recall)
    note_used = opened(engrain.lifecycle.sessions.recall.note_use)
    since_recall = ready(engrain.lifecycle.ageing.sessions.count_since_recall)
    reflect = claimed(engrain.api.learning.reflect)
    learned = opened(engrain.api.transcripts.survey_learned)
    has_unlearned = opened(engrain.lifecycle.sessions.marked.has_unlearned)
    crystallize = claimed(engrain.api.crystals.crystallize)


class Jobs(Holder):
    """Jobs, which keep the memory in order unasked (S1.23)."""

    run = opened(engrain.lifecycle.jobs.runner.run_jobs)
    status = opened(engrain.lifecycle.jobs.runner.list_states)
    log = opened(engrain.lifecycle.jobs.runner.read_log)
    request = opened(engrain.lifecycle.jobs.runner.request_jobs)
    requests = opened(engrain.lifecycle.jobs.runner.list_requests)
    dream = claimed(engrain.lifecycle.dreaming.run.dream)


class Graph(Holder):
    """How entries are joined: by links, relations, facts, chains, sources and use (S1.21)."""

    neighbors = opened(engrain.engine.graph.list_neighbours)
    path = opened(engrain.engine.graph.find_path)
    around = opened(engrain.engine.graph.walk_around)
    read = opened(engrain.engine.graph.read_graph)
    stats = opened(engrain.engine.graph.measure_graph)


class Links(Holder):
    """Links between notes, and the maps of contents (S1.8, S1.11)."""

    check = opened(engrain.engine.links.checking.check_links)
    suggest = opened(engrain.lifecycle.dreaming.missing_links.suggest_and_propose)
    mend_successions = scanned(engrain.engine.links.linking.mend_circles)
    map = scanned(engrain.engine.indexes.write_maps)
    check_map = scanned(engrain.engine.indexes.check_maps)


class Skills(Holder):
    """Skills that do a task (S2.10)."""

    list = looked(engrain.engine.episodes.skills.list_skills)
    show = looked(engrain.engine.episodes.skills.read_skill_entry)
    find = opened(engrain.engine.episodes.skills.find_skills)
    add = opened(engrain.engine.episodes.skills.add_skill)
    note_use = ready(engrain.engine.episodes.skills.note_skill_use)
    draft = opened(engrain.lifecycle.consolidating.skill_drafts.draft_skills)
    import_folder = looked(engrain.engine.episodes.skills.take_in_skill)
    export = looked(engrain.engine.episodes.skills.give_out_skill)


class Episodes(Holder):
    """The traces of tasks, and the patterns that are made of them (S2.2, S2.3, S2.8, S2.12)."""

    record = reopened(engrain.engine.episodes.recording.begin_episode)
    save = ready(engrain.engine.episodes.episode.save_episode)
    list = looked(engrain.engine.episodes.recording.list_episodes)
    read = ready(engrain.engine.episodes.recording.read_filed)
    recover = ready(engrain.engine.episodes.recording.recover_episodes)
    write_index = scanned(engrain.engine.indexes.write_episode_index)
    consolidate = claimed(engrain.lifecycle.consolidating.running.consolidate)
    statistics = opened(engrain.lifecycle.sessions.statistics.make_statistics)
    add_signals = opened(engrain.lifecycle.sessions.statistics.add_signals)


class Handoffs(Holder):
    """What one agent leaves to the next: hand-offs, ledgers, checkpoints (S2.5, S2.6, S4.10).

    Without an `agent`, methods use the agent of the memory.
    """

    create = ready(engrain.agents.handoffs.create_handoff)
    list = looked(engrain.agents.handoffs.list_handoffs)
    show = looked(engrain.agents.handoffs.show_handoff)
    claim = looked(engrain.agents.handoffs.claim_handoff)
    save_ledger = ready(engrain.agents.checkpoints.save_ledger)
    show_ledger = looked(engrain.agents.checkpoints.show_ledger)
    list_ledgers = looked(engrain.agents.checkpoints.list_ledgers)
    save_checkpoint = ready(engrain.api.composed.save_checkpoint)
    load_checkpoint = looked(engrain.agents.checkpoints.load_checkpoint)
    list_checkpoints = looked(engrain.agents.checkpoints.list_checkpoints)


class Work(Holder):
    """Working memory of a project: CONTINUITY.md, plan, features, progress, phases, the day's note,
    promises (S1.4, S2.1, S3.8, S4.2).

    Without a `project` the current one is meant; outside of any these raise UsageError.
    """

    write_continuity = looked(engrain.agents.continuity.set_continuity)
    read_continuity = opened(engrain.agents.continuity.read_continuity)
    drop_references = looked(engrain.agents.references.drop_references)
    plan = opened(engrain.agents.harness.read_plan)
    set_plan = opened(engrain.agents.harness.set_plan)
    features = opened(engrain.agents.features.list_features)
    set_feature = opened(engrain.agents.features.set_feature)
    progress = opened(engrain.agents.phases.list_progress)
    add_progress = opened(engrain.agents.phases.add_progress)
    begin_phase = looked(engrain.agents.phases.begin_phase)
    end_phase = looked(engrain.api.composed.end_phase)
    today = opened(engrain.engine.entities.daily.append_today)
    read_today = opened(engrain.engine.entities.daily.read_today)
    commitments = looked(engrain.engine.verbs.commitments.list_commitments)
    settle_commitment = ready(engrain.engine.verbs.commitments.settle_commitment)

    def keep_continuity(
        self, session: str, *, project: str | None = None, deadline: float | None = None
    ) -> Outcome | None:
        """Rewrite CONTINUITY.md at the end of a turn from the session's last prompt, whose task
        becomes the goal if nobody set one. Return None outside of a project, and after `deadline`
        (a moment of `time.monotonic`)."""
        from engrain.agents.continuity import Turn, renew_continuity
        from engrain.engine.core.store import JOBS, Actor
        from engrain.lifecycle.sessions.sessions import last_asked

        store = self._open_store()
        # Written as a job, so that undoing "the last change" never means this one.
        store = store.acting_as(Actor(JOBS, store.actor.trust))
        if not (store.project if project is None else project):
            return None
        turn = Turn(asked=last_asked(store.journal, session))
        return renew_continuity(store, turn, project, deadline)


class Sources(Holder):
    """The sources of learning: files on this device, and approved places outside (S1.20, S4.4).

    Outside, only places that the operator approved are read, and what is found there waits in the
    inbox for the operator's decision.
    """

    add = opened(engrain.learn.sources.reading.add_source)
    add_host = opened(engrain.learn.sources.reading.add_host_source)
    detect = opened(engrain.learn.sources.reading.detect_sources)
    list = looked(engrain.learn.sources.reading.survey_sources)
    remove = opened(engrain.learn.sources.reading.remove_source)
    approve = opened(engrain.learn.forward.run.approve_source)
    approved = opened(engrain.learn.forward.run.list_approved)
    disapprove = opened(engrain.learn.forward.run.disapprove_source)
    learn = looked(engrain.api.learning.learn)
    research = opened(engrain.api.learning.research)


class Exchange(Holder):
    """Imports from other memories and agents, and exports for them."""

    import_claude_memory = looked(engrain.engine.verbs.claude_import.import_claude_memory)
    import_chats = ready(engrain.learn.sources.filing.import_chats)
    import_transcript = ready(engrain.learn.transcripts.filing.import_transcript)
    import_layout = opened(engrain.api.composed.import_layout)
    export_layout = opened(engrain.api.composed.export_layout)


class Review(Holder):
    """What waits for the operator, and what happened since they last looked (S1.17, S1.23)."""

    list = looked(engrain.lifecycle.reviewing.staging.list_proposals)
    show = personal(engrain.lifecycle.reviewing.review.show_proposal)
    preview = personal(engrain.lifecycle.reviewing.review.preview)
    propose = ready(engrain.lifecycle.reviewing.staging.propose)
    propose_mending = ready(engrain.lifecycle.reviewing.staging.propose_mending)
    accept = personal(engrain.lifecycle.reviewing.review.accept)
    accept_all = personal(engrain.lifecycle.reviewing.review.accept_all)
    reject = looked(engrain.lifecycle.reviewing.review.reject)
    expire = opened(engrain.lifecycle.reviewing.staging.expire)
    triage = claimed(engrain.lifecycle.ageing.decay.triage)
    contradictions = looked(engrain.engine.core.contradictions.list_contradictions)
    digest = personal(engrain.lifecycle.upkeep.digest.make_digest)
    note_look = opened(engrain.lifecycle.upkeep.digest.note_look)


class Trust(Holder):
    """Vouching for entries, the vault's key, and extracts that others can verify (S1.7, S3.8)."""

    attest = looked(engrain.engine.core.attesting.attest_entry)
    attest_all = scanned(engrain.engine.history.verification.attest_all)
    outside = scanned(engrain.engine.history.verification.list_outside)
    survey = scanned(engrain.engine.history.verification.survey_attestation)
    recognise_key = opened(engrain.engine.history.verification.recognise_key)
    attest_again = scanned(engrain.engine.history.verification.attest_again)
    export_history = scanned(engrain.engine.history.verification.make_extract)


class PersonalNotes(Holder):
    """The operator's own notes, which nothing else reaches (S1.7).

    Each use must say with `authorize` that the operator asked for it, else it raises UsageError.
    ConfigError means that `personal.root` is not set or can't be used.
    """

    open = personal(engrain.lifecycle.reviewing.staging.open_notes)
    uses = personal(engrain.lifecycle.reviewing.staging.list_uses)
    link = personal(engrain.lifecycle.reviewing.staging.link_note)
    propose_archive = personal(engrain.lifecycle.reviewing.staging.propose_personal_archive)
