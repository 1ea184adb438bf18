"""What agents work with: working memory, plans, hand-offs, ledgers and checkpoints."""
