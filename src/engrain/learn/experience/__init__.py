"""What tasks leave: their episodes, and the one sure lesson of each (S2.2, DESIGN section 18)."""
