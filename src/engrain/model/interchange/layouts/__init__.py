"""The layouts of plain folders, of three-layer memories and of living memories."""
