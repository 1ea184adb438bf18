"""Proposals that the operator decides on."""
