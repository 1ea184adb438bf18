"""What runs in the background: the table of jobs, and what runs them."""
