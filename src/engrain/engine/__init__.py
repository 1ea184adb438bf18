"""The verbs: save, recall, forget, restore, evolve, edit, link, history, undo, verify, import."""
