"""`engrain check`: one walk over the vault, one table of rules, and the one change that fixes what
can be fixed without a doubt."""
