-- Version 2: when the jobs of a namespace ran last, so that each runs once and not once a device;
-- and how much there is in each, for whoever watches the server.

SET ROLE engrain_owner;

CREATE TABLE engrain.jobs (
  namespace text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL CHECK (job ~ '^[a-z0-9-]{1,60}$'),
  began timestamptz NOT NULL,
  PRIMARY KEY (namespace, job)
);
ALTER TABLE engrain.jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE engrain.jobs FORCE ROW LEVEL SECURITY;
GRANT SELECT ON engrain.jobs TO engrain_member;
CREATE POLICY reading ON engrain.jobs FOR SELECT USING (EXISTS
  (SELECT FROM engrain.members m
   WHERE m.namespace = jobs.namespace AND m.member = session_user));
CREATE POLICY writing ON engrain.jobs USING (EXISTS
  (SELECT FROM engrain.members m
   WHERE m.namespace = jobs.namespace AND m.member = session_user AND m.access <> 'reader'));

-- Note that a job began so many seconds ago, by the server's clock, and ended well.
CREATE FUNCTION engrain.note_job(ns text, name text, seconds double precision)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM engrain.members m
    WHERE m.namespace = ns AND m.member = session_user AND m.access <> 'reader'
  ) THEN
    RAISE EXCEPTION 'the role may not write there' USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO engrain.jobs VALUES (ns, name, now() - make_interval(secs => greatest(seconds, 0)))
    ON CONFLICT (namespace, job) DO UPDATE SET began = greatest(jobs.began, EXCLUDED.began);
END
$$;

-- How many devices and changes each namespace has, by its vault's id: no names; none for one that
-- was never changed. For who watches the server (`pg_monitor`) or may make namespaces.
CREATE POLICY functions ON engrain.heads FOR SELECT USING (current_user = 'engrain_owner');
CREATE FUNCTION engrain.measure()
RETURNS TABLE (vault text, devices bigint, changes bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, 'engrain_owner', 'MEMBER')
    AND NOT pg_has_role(session_user, 'pg_monitor', 'MEMBER')
  THEN
    RAISE EXCEPTION 'the role may not watch the server' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY
    SELECT n.vault, count(*), sum(h.n)::bigint
    FROM engrain.heads h JOIN engrain.namespaces n ON n.namespace = h.namespace
    GROUP BY n.namespace, n.vault ORDER BY n.vault;
END
$$;

REVOKE ALL ON FUNCTION engrain.note_job, engrain.measure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engrain.note_job, engrain.measure TO engrain_member;
INSERT INTO engrain.migrations (version) VALUES (2);
RESET ROLE;
