"""The derived index in a PostgreSQL database, beside the namespace whose entries it has.

It asks and writes what the SQLite index does, in PostgreSQL's words (`dialect`), so that both give
the same answers; only full text (`texts`) and vectors (`vectors`) are PostgreSQL's own.
"""
