"""Which store: settings, the vault's place, the backend by name, this device. Fails loud (S1.2)."""
