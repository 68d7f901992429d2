"""Who may call which operation: `permissions.py` has the declaration that every route carries, `policies.py` what checks it."""
