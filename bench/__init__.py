"""Measures what the documentation claims, each as a ratio to a floor taken in the same run."""
