"""The four tools for other machines, over HTTPS, for who has a token of OAuth 2.1 (S1.13)."""
