DROP SCHEMA engrain_index CASCADE;
