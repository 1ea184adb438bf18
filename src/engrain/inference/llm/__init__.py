"""Language models behind a server: one client, and a table of what each kind of server speaks."""
