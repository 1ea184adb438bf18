"""The verbs on entries: saving, revising, forgetting, archiving, importing."""
