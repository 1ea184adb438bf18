"""What is done to entries: saving, revising, forgetting, archiving, importing."""
