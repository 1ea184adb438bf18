"""The pages of the console: each answers a request with what its template shows."""
