-- Back to nothing: every namespace and its history is gone. The two roles stay, because other
-- databases of the server may use them.
DROP SCHEMA engrain CASCADE;
