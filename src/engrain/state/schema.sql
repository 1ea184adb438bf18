-- The tables of what only this device knows about a vault.
CREATE TABLE IF NOT EXISTS sessions(
  ordinal INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, project TEXT NOT NULL, at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS hits(
  entry TEXT, ordinal INTEGER, PRIMARY KEY(entry, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hits_by_session ON hits(ordinal, entry);
CREATE TABLE IF NOT EXISTS uses(
  entry TEXT, ordinal INTEGER, PRIMARY KEY(entry, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_by_session ON uses(ordinal, entry);
CREATE TABLE IF NOT EXISTS counts(
  entry TEXT, session TEXT, times INTEGER NOT NULL, used INTEGER NOT NULL, at REAL NOT NULL,
  PRIMARY KEY(entry, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spends(
  number INTEGER PRIMARY KEY, purpose TEXT NOT NULL, model TEXT NOT NULL, taken INTEGER NOT NULL,
  given INTEGER NOT NULL, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS spends_by_time ON spends(at);
CREATE TABLE IF NOT EXISTS recalls(entry TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cursors(
  source TEXT, consumer TEXT, file TEXT, value TEXT NOT NULL, PRIMARY KEY(source, consumer, file)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns_read(
  consumer TEXT NOT NULL, conversation TEXT NOT NULL, digests BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_by_conversation ON turns_read(conversation, consumer);
