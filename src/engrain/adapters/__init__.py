"""The ways in: they translate the outside into the verbs and hold no rule of memory."""
