"""Executors: how a scheduler reaches workers.

Open `interface.py` first: the Executor protocol and its events. `local.py` implements it for the workers of this host, over
their Unix sockets; `worker_protocol.py` holds the messages on these sockets. `remote.py` is the executor of all workers that claim their attempts
over the API; `celery_broker.py` and `kubernetes/` are its publishers. `combined.py` makes one executor of several.
"""
