"""What users hold: one object with the verbs of the engine and all that stands on them. Each part
adds methods that call functions of the floors below."""
