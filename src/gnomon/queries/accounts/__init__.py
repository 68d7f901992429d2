"""Accounts, logins, sessions and tokens: who makes a request, and what that account may do.

Open `authentication.py` first: it turns what a request carries into an `Identity`. `account_changes.py` is what administrators do,
`logins.py` checks a password, `sessions.py` is for browsers, `api_tokens.py` and `signed_tokens.py` are for programs. Roles and what
they include: `gnomon.model.accounts`.
"""
