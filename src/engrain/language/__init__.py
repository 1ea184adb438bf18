"""The ground floor: reading plain text. It knows nothing of memory."""
