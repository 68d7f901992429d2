"""Executors: how a scheduler reaches workers.

Open `interface.py` first: the Executor protocol and its events. `local.py` implements it for the workers of this host, over
their Unix sockets; `worker_protocol.py` holds the messages on these sockets.
"""
