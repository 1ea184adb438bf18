"""The operating system's own schedulers, and how they are set up to run the jobs of a vault."""
