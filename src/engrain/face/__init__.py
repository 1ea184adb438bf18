"""The old place of `engrain.api`."""
