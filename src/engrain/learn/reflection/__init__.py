"""Reflection: what a finished session leaves that is worth keeping (S1.20; DESIGN section 11).

Only the operator's own words are learned from: not the agent's, not what tools gave, not what was
pasted, injected or written to a sub-agent. How sure the words are decides the lane.
"""
