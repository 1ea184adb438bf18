"""Links in the vault: checking, making, renaming and finding missing ones."""
