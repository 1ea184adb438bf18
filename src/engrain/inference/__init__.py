"""Models, all optional: what turns texts into vectors."""
