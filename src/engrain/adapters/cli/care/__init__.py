"""Commands to care for a vault and its device."""
