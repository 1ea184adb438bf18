-- Five vectors of 384 dimensions fill a page; in one of 4096 bytes a quarter would be waste.
PRAGMA page_size=8192;
PRAGMA journal_mode=WAL;
BEGIN IMMEDIATE;
CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
  centre BLOB
);
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, key BLOB NOT NULL,
  vector BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_by_key ON vectors (model, key);
CREATE TABLE loose (
  model INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (model, id)
) WITHOUT ROWID;
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, ids BLOB NOT NULL,
  planes BLOB NOT NULL
);
CREATE INDEX blocks_by_model ON blocks (model);
PRAGMA user_version=1;
COMMIT;
