"""What this device alone knows about a vault: its sessions. Never in the vault, never derived."""
