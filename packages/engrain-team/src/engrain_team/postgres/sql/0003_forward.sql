-- Version 3: changes and hand-overs of a namespace wait for each other by a lock on its row. Before,
-- they took an advisory lock, whose number any role of the database can compute and hold. And no
-- file gets a place that is outside of the store, hidden, or no path.

SET ROLE engrain_owner;

DO $$
DECLARE
  shared CONSTANT text := 'pg_advisory_xact_lock_shared(hashtextextended(ns, 21))';
  alone CONSTANT text := 'pg_advisory_xact_lock(hashtextextended(ns, 21))';
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['commit', 'add_other'] LOOP
    EXECUTE replace(
      pg_get_functiondef(format('engrain.%I', one)::regproc), shared,
      -- Who may not write there locks nothing.
      'FROM engrain.namespaces n WHERE n.namespace = ns AND EXISTS
        (SELECT FROM engrain.members m
         WHERE m.namespace = ns AND m.member = session_user AND m.access <> ''reader'')
      FOR KEY SHARE');
  END LOOP;
  EXECUTE replace(
    pg_get_functiondef('engrain.hand_over'::regproc), alone,
    'FROM engrain.namespaces n WHERE n.namespace = ns FOR UPDATE');
END
$$;

ALTER TABLE engrain.files ADD CONSTRAINT inside
  CHECK (place ~ '^[^./\\][^/\\]*(/[^./\\][^/\\]*)*$') NOT VALID;
ALTER TABLE engrain.attachments ADD CONSTRAINT inside
  CHECK (place ~ '^[^./\\][^/\\]*(/[^./\\][^/\\]*)*$') NOT VALID;

INSERT INTO engrain.migrations (version) VALUES (3);
RESET ROLE;
