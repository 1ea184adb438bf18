-- Back to version 2: changes and hand-overs take an advisory lock again.
SET ROLE engrain_owner;
DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['commit', 'add_other'] LOOP
    EXECUTE regexp_replace(
      pg_get_functiondef(format('engrain.%I', one)::regproc),
      'PERFORM FROM engrain\.namespaces n.*?FOR KEY SHARE',
      'PERFORM pg_advisory_xact_lock_shared(hashtextextended(ns, 21))');
  END LOOP;
  EXECUTE regexp_replace(
    pg_get_functiondef('engrain.hand_over'::regproc),
    'PERFORM FROM engrain\.namespaces n.*?FOR UPDATE',
    'PERFORM pg_advisory_xact_lock(hashtextextended(ns, 21))');
END
$$;
ALTER TABLE engrain.files DROP CONSTRAINT inside;
ALTER TABLE engrain.attachments DROP CONSTRAINT inside;
DELETE FROM engrain.migrations WHERE version = 3;
RESET ROLE;
