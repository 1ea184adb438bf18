"""Links in the vault: checking, making, renaming and suggesting them."""
