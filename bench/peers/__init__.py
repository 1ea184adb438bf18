"""Compare Engrain with other memories for agents: one run, one corpus, one adapter a peer."""
