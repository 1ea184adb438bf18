"""Servers for the tests of the package."""
