-- Version 2: when the jobs of a namespace ran last, so that each runs once and not once a device.

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

REVOKE ALL ON FUNCTION engrain.note_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engrain.note_job TO engrain_member;
INSERT INTO engrain.migrations (version) VALUES (2);
RESET ROLE;
