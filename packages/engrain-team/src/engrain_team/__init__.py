"""A team's memory: stores in PostgreSQL, their administration, and a server for other machines."""
