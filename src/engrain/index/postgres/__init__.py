"""The derived index in a PostgreSQL database, beside the namespace that it indexes.

It runs the statements of the SQLite index, translated to PostgreSQL by `session`, so that both give
the same answers; only full text (`texts`) and vectors (`vectors`) are PostgreSQL's own.
"""
