"""Records of the history, their signatures and tombstones."""
