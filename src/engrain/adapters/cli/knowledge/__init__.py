"""Commands about facts, tasks and skills."""
