"""Episodes, patterns, skills, hand-offs and what else work leaves behind."""
