-- The tables of the index. The columns of filters come first, because SQLite reads a row from its start.
CREATE TABLE entries(
  entry INTEGER PRIMARY KEY, is_primary INTEGER NOT NULL, replaced INTEGER NOT NULL,
  zone TEXT NOT NULL, status TEXT NOT NULL, project TEXT NOT NULL, kind TEXT NOT NULL,
  tier TEXT NOT NULL, created REAL, id TEXT NOT NULL, locator TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL, hash TEXT NOT NULL,
  stamp TEXT NOT NULL, settled INTEGER NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL,
  tags TEXT NOT NULL, trust TEXT NOT NULL, attested INTEGER NOT NULL,
  by_hand INTEGER NOT NULL, claims INTEGER NOT NULL, always_load INTEGER NOT NULL,
  updated REAL, valid_from REAL, valid_to REAL, weight REAL, confidence REAL,
  recall_count INTEGER NOT NULL, last_recalled REAL, sessions_since_recall INTEGER NOT NULL,
  imported INTEGER NOT NULL, tokens INTEGER NOT NULL
);
CREATE INDEX entries_by_folder ON entries(folder, locator, stamp, hash, settled);
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_slug ON entries(slug);
CREATE INDEX entries_by_age ON entries(created DESC, id DESC);
CREATE INDEX entries_by_kind ON entries(kind, created DESC, id DESC);
CREATE INDEX entries_known_by_age ON entries(created DESC, id DESC) WHERE imported <> 1;
CREATE INDEX entries_always_loaded ON entries(always_load, created DESC, id DESC)
  WHERE always_load = 1;
CREATE INDEX entries_counted
  ON entries(zone, status, project, is_primary, replaced, kind, tier) WHERE entry > 0;
CREATE INDEX entries_set_aside ON entries(entry, locator, stamp, hash)
  WHERE status <> 'active' AND zone = 'live';
CREATE INDEX entries_read_young ON entries(entry, locator) WHERE settled = 0;
CREATE INDEX copies ON entries(locator) WHERE is_primary = 0;
CREATE INDEX unattested ON entries(tier) WHERE attested = 0;
CREATE TABLE sources(entry INTEGER, source TEXT, PRIMARY KEY(entry, source)) WITHOUT ROWID;
CREATE INDEX sources_by_source ON sources(source, entry);
CREATE TABLE tags(entry INTEGER, tag TEXT, PRIMARY KEY(entry, tag)) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags(tag, entry);
CREATE TABLE problems(
  locator TEXT, place INTEGER, reason TEXT NOT NULL, message TEXT NOT NULL, line INTEGER NOT NULL,
  stamp TEXT NOT NULL, settled INTEGER NOT NULL, fatal INTEGER NOT NULL, folder TEXT NOT NULL,
  PRIMARY KEY(locator, place)
) WITHOUT ROWID;
CREATE INDEX problems_by_folder ON problems(folder);
CREATE TABLE groups(name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE marks(name TEXT PRIMARY KEY, mark TEXT NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changes(
  change TEXT NOT NULL, place INTEGER NOT NULL, at REAL NOT NULL, device TEXT NOT NULL,
  n INTEGER NOT NULL, op TEXT NOT NULL, entry TEXT NOT NULL, locator TEXT, before_hash TEXT,
  after_hash TEXT, agent TEXT NOT NULL, trust TEXT NOT NULL, undoes TEXT,
  reason TEXT NOT NULL, attested INTEGER NOT NULL, part_of TEXT
);
CREATE INDEX changes_by_name ON changes(change);
CREATE INDEX changes_that_continue ON changes(part_of) WHERE part_of IS NOT NULL;
CREATE INDEX changes_by_age ON changes(at DESC, device DESC, n DESC);
CREATE INDEX changes_by_device ON changes(device, n);
CREATE INDEX changes_by_entry ON changes(entry);
CREATE INDEX changes_by_locator ON changes(locator, after_hash);
CREATE INDEX changes_that_undo ON changes(undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_that_erase ON changes(op) WHERE op IN ('erase', 'erasing');
CREATE TABLE cursors(device TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
-- The thread is a row of `threads`. Without one it is the negated number of the entry if the entry has several passages,
-- else NULL. A passage has the same number in `texts`.
CREATE TABLE passages(
  passage INTEGER PRIMARY KEY, entry INTEGER NOT NULL, thread INTEGER, place INTEGER NOT NULL,
  asks INTEGER NOT NULL, key INTEGER NOT NULL, speaker TEXT NOT NULL, start INTEGER NOT NULL,
  end INTEGER NOT NULL, heading TEXT NOT NULL, whole INTEGER NOT NULL,
  twin INTEGER NOT NULL
);
CREATE INDEX passages_by_entry ON passages(entry);
CREATE INDEX passages_by_place ON passages(thread, place, passage) WHERE thread IS NOT NULL;
CREATE INDEX passages_by_key ON passages(key);
CREATE INDEX passages_by_twin ON passages(twin) WHERE twin <> 0;
CREATE INDEX passages_by_speaker ON passages(speaker) WHERE speaker <> '';
CREATE TABLE threads(thread INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
-- Marks (M*) are parts of letters in Thai and Hindi, and private use (Co) stands for emoji.
CREATE VIRTUAL TABLE texts USING fts5(
  title, tags, body, content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
CREATE TABLE names(
  entry INTEGER, key TEXT, rank INTEGER NOT NULL, PRIMARY KEY(entry, key)
) WITHOUT ROWID;
CREATE INDEX names_by_key ON names(key, entry, rank);
-- `key` is the key of the target, `alt` that of the label if it may be the name of a Dendron note, where the target comes
-- second. `rivals` counts the other entries that the link may mean.
CREATE TABLE links(
  entry INTEGER, place INTEGER, target TEXT NOT NULL, key TEXT NOT NULL, relation TEXT NOT NULL,
  origin INTEGER NOT NULL, label TEXT NOT NULL, alt TEXT NOT NULL, heading TEXT NOT NULL,
  valid_from REAL, valid_to REAL, end INTEGER, rivals INTEGER NOT NULL, PRIMARY KEY(entry, place)
) WITHOUT ROWID;
CREATE INDEX links_by_key ON links(key, entry);
CREATE INDEX links_by_label ON links(alt, key, entry) WHERE alt <> '';
CREATE INDEX links_by_end ON links(end, entry, relation, origin, valid_from, valid_to)
  WHERE end IS NOT NULL;
CREATE INDEX links_without_end ON links(entry, place) WHERE end IS NULL;
CREATE INDEX links_with_rivals ON links(entry, place) WHERE rivals > 0;
CREATE TABLE successions(
  older INTEGER, newer INTEGER, counts INTEGER NOT NULL, PRIMARY KEY(older, newer)
) WITHOUT ROWID;
CREATE TABLE cancellations(change TEXT, place INTEGER, PRIMARY KEY(change, place)) WITHOUT ROWID;
CREATE INDEX conclusions_by_entry ON changes(entry) WHERE op IN ('external', 'cancelled');
CREATE INDEX conclusions_by_locator ON changes(locator) WHERE op IN ('external', 'cancelled');
CREATE INDEX changes_cancelled ON changes(change, place) WHERE op = 'cancelled';
