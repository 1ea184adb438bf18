"""Episodes as they are recorded, and skills."""
