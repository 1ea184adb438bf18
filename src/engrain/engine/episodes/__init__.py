"""Records and files episodes, and manages skills."""
