"""The history of a vault: listing, undoing, verifying and extracting it."""
