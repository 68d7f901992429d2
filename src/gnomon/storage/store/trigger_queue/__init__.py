"""Deferred task instances and their triggers (TRIGGER in docs/contributing/ownership.md).

Open `deferrals.py` first: what an owner writes and reads. `trigger_claims.py` is the side of the triggerers, and
`triggerer_leases.py` says which triggerers are alive.
"""
