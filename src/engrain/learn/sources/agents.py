"""Agents' own transcripts as turns: what the operator asked for and what the agent said.

What tools gave is no turn, nor is what a sub-agent was told and said; what the host or a recall put
into a message was taken out by `learn.transcripts.injected` (S1.20)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engrain.language.text.fences import without_fences
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.stream import Stream
from engrain.learn.transcripts.events import Event, Request, Said, Session
from engrain.learn.transcripts.lines import Lines, Passed
from engrain.model.facts.fact import CONVERSATION
from engrain.model.facts.turns import AGENT, OPERATOR, Conversation, Turn


def read_turns(read: Callable[[Lines, Passed], Iterator[Session | Event]], stream: Stream) -> Items:
    """Yield the turns of a session that a host's reader reads. `stream` keeps where the session ran
    and whose it is, for the run that reads on where this ends."""
    name = stream.ref or stream.name.rpartition("/")[2].partition(".")[0]
    yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
    for event in read(stream.records(), stream.passed):
        if isinstance(event, Session):
            name = event.session or name
            stream.cwd = event.cwd or stream.cwd
            stream.agent = event.agent
            yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
        elif event.stream or stream.agent:
            continue
        elif isinstance(event, Request):
            yield Turn("", OPERATOR, event.text, event.at, event.key)
        elif isinstance(event, Said) and (said := without_fences(event.text).strip()):
            yield Turn("", AGENT, said, event.at, "" if event.at is None else str(event.at))
