"""Rows of accounts, API tokens, sessions of browsers and failed logins. Open `account_rows.py` first; the rules are in `gnomon.queries.accounts`."""
