"""From what was said to facts about whom: the extractors, and the run that feeds them (S4.4)."""
