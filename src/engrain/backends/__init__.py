"""The stores. Nobody imports one: it is found by name and opened through the storage port."""
