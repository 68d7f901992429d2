"""Logins at an identity provider of OpenID Connect: its settings, metadata, keys, and the exchange with it. Open `identity_provider.py` first."""
