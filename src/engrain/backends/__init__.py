"""The stores. No module imports one; each is found by name and opened through the storage port."""
