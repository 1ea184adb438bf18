-- Version 1: the derived index of each namespace, as the SQLite index has it in a file.
--
-- Every key begins with the namespace, which stands last in a row and is that of the transaction's
-- setting `engrain.namespace`. Members read and write only rows of a namespace that is theirs;
-- readers write nothing.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN
    CREATE EXTENSION vector SCHEMA public;
  END IF;
END
$$;

CREATE SCHEMA engrain_index AUTHORIZATION engrain_owner;
SET ROLE engrain_owner;
GRANT USAGE ON SCHEMA engrain_index TO engrain_member;

CREATE TABLE engrain_index.migrations (
  version integer PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);
INSERT INTO engrain_index.migrations VALUES (1);
GRANT SELECT ON engrain_index.migrations TO engrain_member;

CREATE TABLE engrain_index.entries (
  entry bigint,
  is_primary bigint NOT NULL,
  replaced bigint NOT NULL,
  zone text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  tier text COLLATE "C" NOT NULL,
  created double precision,
  id text COLLATE "C" NOT NULL,
  locator text COLLATE "C" NOT NULL,
  folder text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  stamp text COLLATE "C" NOT NULL,
  settled bigint NOT NULL,
  slug text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  trust text COLLATE "C" NOT NULL,
  attested bigint NOT NULL,
  agent text COLLATE "C",
  always_load bigint NOT NULL,
  updated double precision,
  valid_from double precision,
  valid_to double precision,
  weight double precision,
  confidence double precision,
  recall_count bigint NOT NULL,
  last_recalled double precision,
  sessions_since_recall bigint NOT NULL,
  imported bigint NOT NULL,
  tokens bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry),
  UNIQUE (namespace, locator)
);
CREATE INDEX entries_by_folder ON engrain_index.entries (namespace, folder, locator, stamp, hash, settled);
CREATE INDEX entries_by_id ON engrain_index.entries (namespace, id);
CREATE INDEX entries_by_slug ON engrain_index.entries (namespace, slug);
CREATE INDEX entries_by_age ON engrain_index.entries (namespace, created DESC NULLS LAST, id DESC);
CREATE INDEX entries_by_kind ON engrain_index.entries (namespace, kind, created DESC NULLS LAST, id DESC);
CREATE INDEX entries_known_by_age ON engrain_index.entries (namespace, created DESC NULLS LAST, id DESC) WHERE imported <> 1;
CREATE INDEX entries_always_loaded ON engrain_index.entries (namespace, always_load, created DESC NULLS LAST, id DESC) WHERE always_load = 1;
CREATE INDEX entries_counted ON engrain_index.entries (namespace, zone, status, project, is_primary, replaced, kind, tier);
CREATE INDEX entries_set_aside ON engrain_index.entries (namespace, entry, locator, stamp, hash) WHERE status <> 'active' AND zone = 'live';
CREATE INDEX entries_read_young ON engrain_index.entries (namespace, entry, locator) WHERE settled = 0;
CREATE INDEX copies ON engrain_index.entries (namespace, locator) WHERE is_primary = 0;
CREATE INDEX unattested ON engrain_index.entries (namespace, tier) WHERE attested = 0;
CREATE TABLE engrain_index.frontmatter (
  entry bigint,
  fields text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry)
);
CREATE TABLE engrain_index.sources (
  entry bigint,
  source text COLLATE "C",
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry, source)
);
CREATE INDEX sources_by_source ON engrain_index.sources (namespace, source, entry);
CREATE TABLE engrain_index.tags (
  entry bigint,
  tag text COLLATE "C",
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry, tag)
);
CREATE INDEX tags_by_tag ON engrain_index.tags (namespace, tag, entry);
CREATE TABLE engrain_index.problems (
  locator text COLLATE "C",
  place bigint,
  reason text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  line bigint NOT NULL,
  stamp text COLLATE "C" NOT NULL,
  settled bigint NOT NULL,
  fatal bigint NOT NULL,
  folder text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, locator, place)
);
CREATE INDEX problems_by_folder ON engrain_index.problems (namespace, folder);
CREATE TABLE engrain_index.groups (
  name text COLLATE "C",
  fingerprint text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, name)
);
CREATE TABLE engrain_index.marks (
  name text COLLATE "C",
  mark text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, name)
);
CREATE TABLE engrain_index.changes (
  change text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  at double precision NOT NULL,
  device text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  op text COLLATE "C" NOT NULL,
  entry text COLLATE "C" NOT NULL,
  locator text COLLATE "C",
  before_hash text COLLATE "C",
  after_hash text COLLATE "C",
  agent text COLLATE "C" NOT NULL,
  trust text COLLATE "C" NOT NULL,
  undoes text COLLATE "C",
  reason text COLLATE "C" NOT NULL,
  attested bigint NOT NULL,
  part_of text COLLATE "C",
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, change, place)
);
CREATE INDEX changes_that_continue ON engrain_index.changes (namespace, part_of) WHERE part_of IS NOT NULL;
CREATE INDEX changes_by_age ON engrain_index.changes (namespace, at, device, n);
CREATE INDEX changes_by_device ON engrain_index.changes (namespace, device, n);
CREATE INDEX changes_by_entry ON engrain_index.changes (namespace, entry);
CREATE INDEX changes_by_locator ON engrain_index.changes (namespace, locator, after_hash);
CREATE INDEX changes_that_undo ON engrain_index.changes (namespace, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_that_erase ON engrain_index.changes (namespace, op) WHERE op IN ('erase', 'erasing');
CREATE TABLE engrain_index.cursors (
  device text COLLATE "C",
  cursor text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, device)
);
CREATE TABLE engrain_index.meta (
  key text COLLATE "C",
  value double precision NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, key)
);
CREATE TABLE engrain_index.passages (
  passage bigint,
  entry bigint NOT NULL,
  thread bigint,
  place bigint NOT NULL,
  asks bigint NOT NULL,
  key bigint NOT NULL,
  speaker text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  "end" bigint NOT NULL,
  heading text COLLATE "C" NOT NULL,
  whole bigint NOT NULL,
  twin bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, passage)
);
CREATE INDEX passages_by_entry ON engrain_index.passages (namespace, entry);
CREATE INDEX passages_by_place ON engrain_index.passages (namespace, thread, place, passage) WHERE thread IS NOT NULL;
CREATE INDEX passages_by_key ON engrain_index.passages (namespace, key);
CREATE INDEX passages_by_twin ON engrain_index.passages (namespace, twin) WHERE twin <> 0;
CREATE INDEX passages_by_speaker ON engrain_index.passages (namespace, speaker) WHERE speaker <> '';
CREATE TABLE engrain_index.threads (
  thread bigint,
  name text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, thread),
  UNIQUE (namespace, name)
);
CREATE TABLE engrain_index.names (
  entry bigint,
  key text COLLATE "C",
  rank bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry, key)
);
CREATE INDEX names_by_key ON engrain_index.names (namespace, key, entry, rank);
CREATE TABLE engrain_index.links (
  entry bigint,
  place bigint,
  target text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  relation text COLLATE "C" NOT NULL,
  origin bigint NOT NULL,
  label text COLLATE "C" NOT NULL,
  alt text COLLATE "C" NOT NULL,
  heading text COLLATE "C" NOT NULL,
  valid_from double precision,
  valid_to double precision,
  "end" bigint,
  rivals bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry, place)
);
CREATE INDEX links_by_key ON engrain_index.links (namespace, key, entry);
CREATE INDEX links_by_label ON engrain_index.links (namespace, alt, entry) WHERE alt <> '';
CREATE INDEX links_by_end ON engrain_index.links (namespace, "end", entry, relation, origin, valid_from, valid_to) WHERE "end" IS NOT NULL;
CREATE INDEX links_without_end ON engrain_index.links (namespace, entry, place) WHERE "end" IS NULL;
CREATE INDEX links_with_rivals ON engrain_index.links (namespace, entry, place) WHERE rivals > 0;
CREATE TABLE engrain_index.successions (
  older bigint,
  newer bigint,
  counts bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, older, newer)
);
CREATE INDEX links_that_replace ON engrain_index.links (namespace, "end", relation, entry) WHERE relation IN ('supersedes', 'superseded_by') AND origin <> 2;
CREATE TABLE engrain_index.cancellations (
  change text COLLATE "C",
  place bigint,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, change, place)
);
CREATE INDEX conclusions_by_entry ON engrain_index.changes (namespace, entry) WHERE op IN ('external', 'cancelled');
CREATE INDEX conclusions_by_locator ON engrain_index.changes (namespace, locator) WHERE op IN ('external', 'cancelled');
CREATE INDEX changes_cancelled ON engrain_index.changes (namespace, change, place) WHERE op = 'cancelled';
CREATE TABLE engrain_index.unsettled (
  entry bigint,
  place bigint,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, entry, place)
);
CREATE TABLE engrain_index.turns (
  turn text COLLATE "C",
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, turn)
);
CREATE TABLE engrain_index.texts (
  passage bigint,
  words text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, passage)
);
CREATE TABLE engrain_index.postings (
  word text COLLATE "C",
  passage bigint,
  title integer NOT NULL,
  tags integer NOT NULL,
  body integer NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, word, passage)
);
CREATE TABLE engrain_index.models (
  name text COLLATE "C",
  model bigint NOT NULL,
  size bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, name)
);
CREATE TABLE engrain_index.vectors (
  id bigint NOT NULL,
  model bigint,
  key bytea,
  vector public.vector NOT NULL,
  namespace text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.namespace'),
  PRIMARY KEY (namespace, model, key)
);
CREATE INDEX vectors_by_id ON engrain_index.vectors (namespace, id);

-- The graph of neighbours (HNSW over half-precision copies) of a model in the transaction's
-- namespace, null where there is none.
CREATE FUNCTION engrain_index.graph_of(number bigint)
RETURNS regclass LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT to_regclass(format('engrain_index.%I',
    'graph_' || md5(current_setting('engrain.namespace')) || '_' || number))
$$;
-- Make it where the model has `many` vectors and none yet; drop it where `many` is null.
CREATE FUNCTION engrain_index.set_graph(number bigint, many bigint)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ns CONSTANT text := (SELECT m.namespace FROM engrain.members m
    WHERE m.namespace = current_setting('engrain.namespace', true) AND m.member = session_user
      AND m.access <> 'reader');
  graph CONSTANT regclass := engrain_index.graph_of(number);
BEGIN
  IF ns IS NULL THEN
    RAISE EXCEPTION 'the role may not write there' USING ERRCODE = 'insufficient_privilege';
  ELSIF many IS NULL THEN
    IF graph IS NOT NULL THEN
      EXECUTE format('DROP INDEX %s', graph);
    END IF;
  ELSIF graph IS NULL AND many <= (
    SELECT count(*) FROM engrain_index.vectors v WHERE v.namespace = ns AND v.model = number
  ) THEN
    EXECUTE format(
      'CREATE INDEX %I ON engrain_index.vectors'
      ' USING hnsw ((vector::public.halfvec(%s)) public.halfvec_ip_ops)'
      ' WHERE namespace = %L AND model = %s',
      'graph_' || md5(ns) || '_' || number,
      (SELECT m.size FROM engrain_index.models m WHERE m.namespace = ns AND m.model = number),
      ns, number);
  END IF;
END
$$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA engrain_index FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA engrain_index TO engrain_member;

-- The policies ask once a statement whose namespace it is: by a subquery that no row changes. Its
-- value is known before rows are read, so that keys find them.
DO $$
DECLARE
  one text;
  mine CONSTANT text := 'namespace = (SELECT m.namespace FROM engrain.members m
    WHERE m.namespace = current_setting(''engrain.namespace'', true) AND m.member = session_user';
BEGIN
  FOR one IN SELECT relname FROM pg_class
    WHERE relnamespace = 'engrain_index'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
  LOOP
    EXECUTE format('ALTER TABLE engrain_index.%I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE engrain_index.%I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON engrain_index.%I TO engrain_member', one);
    EXECUTE format('CREATE POLICY reading ON engrain_index.%I FOR SELECT USING (%s))', one, mine);
    EXECUTE format('CREATE POLICY inserting ON engrain_index.%I FOR INSERT WITH CHECK
      (%s AND m.access <> ''reader''))', one, mine);
    EXECUTE format('CREATE POLICY updating ON engrain_index.%I FOR UPDATE USING
      (%s AND m.access <> ''reader''))', one, mine);
    EXECUTE format('CREATE POLICY deleting ON engrain_index.%I FOR DELETE USING
      (%s AND m.access <> ''reader''))', one, mine);
  END LOOP;
END
$$;
RESET ROLE;
