"""How well recall finds and withholds: question sets, metrics, baselines; no ranking of its own."""
