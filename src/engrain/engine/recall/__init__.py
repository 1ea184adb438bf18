"""Recall: channels, fusion, priors, rejection and packing, as profiles say (DESIGN section 9)."""
