"""Commands to review what changed and what is proposed."""
