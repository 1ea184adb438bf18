-- Back to version 1: each device runs all jobs again. No entry and no history is touched.
SET ROLE engrain_owner;
DROP FUNCTION engrain.measure;
DROP POLICY functions ON engrain.heads;
DROP FUNCTION engrain.note_job;
DROP TABLE engrain.jobs;
DELETE FROM engrain.migrations WHERE version = 2;
RESET ROLE;
