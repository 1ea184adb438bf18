"""Import and export of three-layer and living memories."""
