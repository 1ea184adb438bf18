-- Version 1: namespaces, who may use them, and their files and histories.
--
-- Every key begins with the namespace, so that no query, lock or constraint spans two of them. The
-- three tables that grow are hash-partitioned by it. `namespaces` and `members` are small and
-- looked up by every query: a distributed server copies them to every node. There are no foreign
-- keys, sequences or triggers.
--
-- Who asks is `session_user`, the role that authenticated: no member can change it. Members read
-- tables, and only rows of their namespaces. They write by the functions below and by nothing else.

DO $$
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the database has the encoding %, and UTF8 is needed',
      current_setting('server_encoding');
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'engrain_owner') THEN
    CREATE ROLE engrain_owner NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'engrain_member') THEN
    CREATE ROLE engrain_member NOLOGIN;
  END IF;
  IF NOT pg_has_role(current_user, 'engrain_owner', 'SET') THEN
    EXECUTE format('GRANT engrain_owner TO %I', current_user);
  END IF;
END
$$;

CREATE SCHEMA engrain AUTHORIZATION engrain_owner;
SET ROLE engrain_owner;
GRANT USAGE ON SCHEMA engrain TO engrain_member;

CREATE TABLE engrain.migrations (
  version integer PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE engrain.namespaces (
  namespace text COLLATE "C" PRIMARY KEY CHECK (namespace ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
  vault text NOT NULL,
  closed text,
  created timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN engrain.namespaces.closed IS
  'why nobody may write: it is being filled from another store, or went to one';

-- `origin` is the most trusted origin that the member's changes can have.
CREATE TABLE engrain.members (
  namespace text COLLATE "C" NOT NULL,
  member text COLLATE "C" NOT NULL,
  access text NOT NULL CHECK (access IN ('reader', 'writer', 'operator', 'admin')),
  origin text NOT NULL CHECK (origin IN ('operator', 'agent', 'tool', 'external')),
  PRIMARY KEY (namespace, member)
);
CREATE INDEX members_by_member ON engrain.members (member);

CREATE TABLE engrain.files (
  namespace text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL CHECK (octet_length(place) <= 2000),
  hash bytea NOT NULL,
  raw bytea NOT NULL CHECK (octet_length(raw) <= 524288),
  PRIMARY KEY (namespace, place)
) PARTITION BY HASH (namespace);

-- Files that are no notes, beside the history: images, papers, drawings.
CREATE TABLE engrain.attachments (
  namespace text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL CHECK (octet_length(place) <= 2000),
  hash bytea NOT NULL,
  raw bytea NOT NULL CHECK (octet_length(raw) <= 67108864),
  PRIMARY KEY (namespace, place)
) PARTITION BY HASH (namespace);
ALTER TABLE engrain.attachments ALTER raw SET STORAGE EXTERNAL;  -- most are compressed

-- The end of each device's chain. Its row is the lock of the chain.
CREATE TABLE engrain.heads (
  namespace text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL CHECK (octet_length(device) <= 255),
  n bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (namespace, device)
) PARTITION BY HASH (namespace);

-- The chains. `member` is the role that wrote the record, `vouched` whether this server checked its
-- origin when it was written: not for records that came from elsewhere, which have codes.
CREATE TABLE engrain.links (
  namespace text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  hash bytea NOT NULL,
  line bytea NOT NULL,
  payload bytea NOT NULL,
  member text NOT NULL,
  vouched boolean NOT NULL,
  stored timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace, device, n)
) PARTITION BY HASH (namespace);
ALTER TABLE engrain.links ALTER payload SET STORAGE EXTERNAL;  -- compressed already

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['files', 'attachments', 'heads', 'links'] LOOP
    FOR part IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE engrain.%I PARTITION OF engrain.%I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || part, parent, part);
      -- Nobody reads a partition but through its parent, whose policies count.
      EXECUTE format('ALTER TABLE engrain.%I ENABLE ROW LEVEL SECURITY', parent || '_' || part);
      EXECUTE format('ALTER TABLE engrain.%I FORCE ROW LEVEL SECURITY', parent || '_' || part);
    END LOOP;
  END LOOP;
END
$$;

-- Row-level security, forced: it holds for the tables' owner too.

DO $$
DECLARE
  one text;
  verb text;
BEGIN
  FOREACH one IN ARRAY ARRAY['namespaces', 'members', 'files', 'attachments', 'heads', 'links'] LOOP
    EXECUTE format('ALTER TABLE engrain.%I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE engrain.%I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('GRANT SELECT ON engrain.%I TO engrain_member', one);
  END LOOP;
  FOREACH one IN ARRAY ARRAY['files', 'attachments', 'heads', 'links'] LOOP
    -- By `EXISTS` the planner looks up one membership for a few rows, and hashes all for many.
    EXECUTE format(
      'CREATE POLICY reading ON engrain.%1$I FOR SELECT USING (EXISTS
         (SELECT FROM engrain.members m
          WHERE m.namespace = %1$I.namespace AND m.member = session_user))', one);
    FOREACH verb IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
      EXECUTE format(
        'CREATE POLICY %1$I ON engrain.%2$I FOR %3$s %4$s (EXISTS
           (SELECT FROM engrain.members m
            WHERE m.namespace = %2$I.namespace AND m.member = session_user
              AND m.access <> ''reader''))',
        lower(verb), one, verb, CASE verb WHEN 'INSERT' THEN 'WITH CHECK' ELSE 'USING' END);
    END LOOP;
  END LOOP;
END
$$;
GRANT SELECT ON engrain.migrations TO engrain_member;

-- A member sees their own membership; the functions, which run as the owner, see all.
CREATE POLICY own ON engrain.members FOR SELECT USING (member = session_user);
CREATE POLICY functions ON engrain.members
  USING (current_user = 'engrain_owner') WITH CHECK (current_user = 'engrain_owner');
CREATE POLICY reading ON engrain.namespaces FOR SELECT USING (namespace IN
  (SELECT m.namespace FROM engrain.members m WHERE m.member = session_user));
CREATE POLICY functions ON engrain.namespaces
  USING (current_user = 'engrain_owner') WITH CHECK (current_user = 'engrain_owner');

-- One change. The payload names every file with its hash before and after; `raws` has the bytes of
-- those that get others, in the same order. Returns 0 when it is done, -1 when the chain has another
-- end than `num - 1` and `prev`, and otherwise the place in the payload of the first file whose
-- bytes are not as expected. It changes nothing then.
CREATE FUNCTION engrain.commit(
  ns text, dev text, num bigint, prev bytea, line bytea, payload bytea, raws bytea[]
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ranks CONSTANT text[] := ARRAY['operator', 'agent', 'tool', 'external'];
  ceiling text;
  shut text;
  said jsonb;
  files json;
  head record;
  wrong integer;
  file record;
BEGIN
  PERFORM set_config('lock_timeout', '10s', true);
  -- Whoever hands the namespace over holds this lock alone.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(ns, 21));
  SELECT m.origin, n.closed INTO ceiling, shut
    FROM engrain.members m JOIN engrain.namespaces n ON n.namespace = m.namespace
    WHERE m.namespace = ns AND m.member = session_user AND m.access <> 'reader';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role may not write there' USING ERRCODE = 'insufficient_privilege';
  ELSIF shut IS NOT NULL THEN
    RAISE EXCEPTION 'the namespace %', shut USING ERRCODE = 'EG004';
  END IF;
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  said := convert_from(line, 'UTF8')::jsonb;
  files := convert_from(payload, 'UTF8')::json -> 'files';
  IF said ->> 'device' IS DISTINCT FROM dev OR said -> 'n' IS DISTINCT FROM to_jsonb(num)
    OR said ->> 'prev' IS DISTINCT FROM encode(prev, 'hex')
    OR said ->> 'payload' IS DISTINCT FROM encode(sha256(payload), 'hex')
    OR position('\x0a'::bytea IN line) > 0 OR position('\x0a'::bytea IN payload) > 0
  THEN
    RAISE EXCEPTION 'the record is not that of the change' USING ERRCODE = 'EG002';
  END IF;
  IF said ->> 'trust' <> ''
    AND coalesce(array_position(ranks, said ->> 'trust'), 0) < array_position(ranks, ceiling)
  THEN
    RAISE EXCEPTION 'the role may not write as %', left(said ->> 'trust', 40)
      USING ERRCODE = 'insufficient_privilege';
  END IF;

  IF num = 1 THEN
    INSERT INTO engrain.heads VALUES (ns, dev, 0, decode(repeat('00', 32), 'hex'))
      ON CONFLICT DO NOTHING;
  END IF;
  SELECT h.n, h.hash INTO head FROM engrain.heads h
    WHERE h.namespace = ns AND h.device = dev FOR UPDATE;
  IF head.n IS DISTINCT FROM num - 1 OR head.hash IS DISTINCT FROM prev THEN
    RETURN -1;
  END IF;

  -- Everyone locks files in the order of their places, so that no two wait for each other.
  SELECT min(w.i) INTO wrong
    FROM (
      SELECT f.path, f.before, f.i
      FROM ROWS FROM (json_to_recordset(files) AS (path text, before text))
        WITH ORDINALITY AS f (path, before, i)
      ORDER BY f.path COLLATE "C"
    ) w
    LEFT JOIN LATERAL (
      SELECT g.hash FROM engrain.files g
      WHERE g.namespace = ns AND g.place = w.path FOR UPDATE
    ) held ON true
    WHERE held.hash IS DISTINCT FROM decode(w.before, 'hex');
  IF wrong IS NOT NULL THEN
    RETURN wrong;
  END IF;

  FOR file IN
    SELECT f.path, f.before, decode(f.after, 'hex') AS after, raws[f.i] AS raw
    FROM ROWS FROM (json_to_recordset(files) AS (path text, before text, after text))
      WITH ORDINALITY AS f (path, before, after, i)
    WHERE f.before IS DISTINCT FROM f.after
    ORDER BY f.path COLLATE "C"
  LOOP
    IF file.after IS DISTINCT FROM sha256(file.raw) THEN
      RAISE EXCEPTION 'the record is not that of the change' USING ERRCODE = 'EG002';
    ELSIF file.after IS NULL THEN
      DELETE FROM engrain.files f WHERE f.namespace = ns AND f.place = file.path;
    ELSIF file.before IS NULL THEN
      INSERT INTO engrain.files VALUES (ns, file.path, file.after, file.raw)
        ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'another wrote the file meanwhile' USING ERRCODE = 'EG001';
      END IF;
    ELSE
      UPDATE engrain.files f SET hash = file.after, raw = file.raw
        WHERE f.namespace = ns AND f.place = file.path;
    END IF;
  END LOOP;

  INSERT INTO engrain.links
    VALUES (ns, dev, num, sha256(line), line, payload, session_user, true);
  UPDATE engrain.heads h SET n = num, hash = sha256(line)
    WHERE h.namespace = ns AND h.device = dev;
  RETURN 0;
END
$$;

-- Blank payloads of a chain: those that the caller wrote, and for an operator all that are named.
CREATE FUNCTION engrain.erase(ns text, dev text, numbers bigint[])
RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  level text;
BEGIN
  SELECT m.access INTO level FROM engrain.members m
    WHERE m.namespace = ns AND m.member = session_user AND m.access <> 'reader';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role may not write there' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY
    UPDATE engrain.links l
    SET payload = rpad('{}', octet_length(l.payload))::bytea
    WHERE l.namespace = ns AND l.device = dev AND l.n = ANY (numbers)
      AND (l.member = session_user OR level IN ('operator', 'admin'))
      AND rtrim(l.payload, ' '::bytea) <> '{}'::bytea
    RETURNING l.n;
END
$$;

-- A new namespace, whose first admin is the caller; one that is there stays. Returns its vault's id.
-- `filling` is for one that is to take another store's place.
CREATE FUNCTION engrain.create_namespace(ns text, vault_id text, filling boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_id text;
BEGIN
  IF NOT pg_has_role(session_user, 'engrain_owner', 'MEMBER') THEN
    RAISE EXCEPTION 'the role may not create namespaces' USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO engrain.namespaces
    VALUES (ns, vault_id, CASE WHEN filling THEN 'is being filled from another store' END)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO engrain.members VALUES (ns, session_user, 'admin', 'operator');
  END IF;
  SELECT n.vault INTO found_id FROM engrain.namespaces n WHERE n.namespace = ns;
  RETURN found_id;
END
$$;

-- Give a role access to a namespace, or with `level` null take it away.
CREATE FUNCTION engrain.set_access(ns text, who text, level text, ceiling text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, 'engrain_owner', 'MEMBER') AND NOT EXISTS (
    SELECT FROM engrain.members m
    WHERE m.namespace = ns AND m.member = session_user AND m.access = 'admin'
  ) THEN
    RAISE EXCEPTION 'the role may not give access there' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT EXISTS (SELECT FROM engrain.namespaces n WHERE n.namespace = ns) THEN
    RAISE EXCEPTION 'no namespace named %', left(ns, 63) USING ERRCODE = 'EG003';
  END IF;
  IF level IS NULL THEN
    DELETE FROM engrain.members m WHERE m.namespace = ns AND m.member = who;
    RETURN;
  END IF;
  INSERT INTO engrain.members VALUES (ns, who, level, ceiling)
    ON CONFLICT (namespace, member) DO UPDATE SET access = level, origin = ceiling;
END
$$;

-- Whether the caller is an admin of a namespace that is being filled; an error otherwise.
CREATE FUNCTION engrain.check_filling(ns text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM engrain.members m JOIN engrain.namespaces n ON n.namespace = m.namespace
    WHERE m.namespace = ns AND m.member = session_user AND m.access = 'admin'
      AND n.closed = 'is being filled from another store'
  ) THEN
    RAISE EXCEPTION 'the namespace is not being filled by this role'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;

-- Take links of another store as they are: new ones behind the end of the chain, and payloads that
-- were blanked since. The server does not vouch for them: their codes do.
CREATE FUNCTION engrain.adopt_links(
  ns text, dev text, numbers bigint[], lines bytea[], payloads bytea[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM engrain.check_filling(ns);
  INSERT INTO engrain.links
    SELECT ns, dev, l.n, sha256(l.line), l.line, l.payload, session_user, false
    FROM unnest(numbers, lines, payloads) AS l (n, line, payload)
    ON CONFLICT (namespace, device, n) DO UPDATE SET payload = EXCLUDED.payload
      WHERE links.line = EXCLUDED.line;
  INSERT INTO engrain.heads
    SELECT ns, dev, l.n, l.hash FROM engrain.links l
    WHERE l.namespace = ns AND l.device = dev ORDER BY l.n DESC LIMIT 1
    ON CONFLICT (namespace, device) DO UPDATE SET n = EXCLUDED.n, hash = EXCLUDED.hash;
END
$$;

CREATE FUNCTION engrain.adopt_files(ns text, places text[], raws bytea[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM engrain.check_filling(ns);
  DELETE FROM engrain.files f
    USING unnest(places, raws) AS w (place, raw)
    WHERE f.namespace = ns AND f.place = w.place AND w.raw IS NULL;
  INSERT INTO engrain.files
    SELECT ns, w.place, sha256(w.raw), w.raw FROM unnest(places, raws) AS w (place, raw)
    WHERE w.raw IS NOT NULL
    ON CONFLICT (namespace, place) DO UPDATE SET hash = EXCLUDED.hash, raw = EXCLUDED.raw;
END
$$;

CREATE FUNCTION engrain.adopt_others(ns text, places text[], raws bytea[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM engrain.check_filling(ns);
  DELETE FROM engrain.attachments f
    USING unnest(places, raws) AS w (place, raw)
    WHERE f.namespace = ns AND f.place = w.place AND w.raw IS NULL;
  INSERT INTO engrain.attachments
    SELECT ns, w.place, sha256(w.raw), w.raw FROM unnest(places, raws) AS w (place, raw)
    WHERE w.raw IS NOT NULL
    ON CONFLICT (namespace, place) DO UPDATE SET hash = EXCLUDED.hash, raw = EXCLUDED.raw;
END
$$;

-- Put a file that is no note where none is; whether that was so.
CREATE FUNCTION engrain.add_other(ns text, place text, raw bytea)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shut text;
BEGIN
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(ns, 21));
  SELECT n.closed INTO shut
    FROM engrain.members m JOIN engrain.namespaces n ON n.namespace = m.namespace
    WHERE m.namespace = ns AND m.member = session_user AND m.access <> 'reader';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role may not write there' USING ERRCODE = 'insufficient_privilege';
  ELSIF shut IS NOT NULL THEN
    RAISE EXCEPTION 'the namespace %', shut USING ERRCODE = 'EG004';
  END IF;
  INSERT INTO engrain.attachments VALUES (ns, place, sha256(raw), raw) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$$;

-- Let writers in to a namespace that was filled; one that is in use stays so.
CREATE FUNCTION engrain.begin_use(ns text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM engrain.members m JOIN engrain.namespaces n ON n.namespace = m.namespace
    WHERE m.namespace = ns AND m.member = session_user AND m.access = 'admin'
      AND n.closed IS NULL
  ) THEN
    RETURN;
  END IF;
  PERFORM engrain.check_filling(ns);
  UPDATE engrain.namespaces n SET closed = NULL WHERE n.namespace = ns;
END
$$;

-- Close a namespace to all writers, in two steps of one transaction: `hand_over` waits until no
-- change is under way and lets none begin, `mark_moved` says where it went.
CREATE FUNCTION engrain.hand_over(ns text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM engrain.members m
    WHERE m.namespace = ns AND m.member = session_user AND m.access = 'admin'
  ) THEN
    RAISE EXCEPTION 'the role may not move the namespace' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock(hashtextextended(ns, 21));
END
$$;

CREATE FUNCTION engrain.mark_moved(ns text, target text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM engrain.hand_over(ns);
  UPDATE engrain.namespaces n SET closed = 'has moved to ' || target WHERE n.namespace = ns;
END
$$;

-- Who may use a namespace, for its admins and the database's.
CREATE FUNCTION engrain.list_members(ns text)
RETURNS TABLE (role text, level text, best text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT m.member::text, m.access, m.origin FROM engrain.members m
    WHERE m.namespace = ns AND (
      pg_has_role(session_user, 'engrain_owner', 'MEMBER') OR EXISTS (
        SELECT FROM engrain.members a
        WHERE a.namespace = ns AND a.member = session_user AND a.access = 'admin'
      )
    )
    ORDER BY m.member;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA engrain FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA engrain TO engrain_member;
INSERT INTO engrain.migrations (version) VALUES (1);
RESET ROLE;
