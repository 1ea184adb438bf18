"""The operating system's own schedulers, and how they are told to run the jobs of a vault."""
