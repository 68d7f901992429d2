"""The triggerer: runs triggers (author code that waits), thousands of them in one small process.

    triggerer (TriggererCoordinator: database, heartbeat, claims, events; no author code)
      └─ host (author code, one asyncio loop; no database connection and no database address)

The triggerer claims rows of `trigger` in batches, has its host run them, and stores the first event of each trigger in the
mailbox of the scheduler that owns the run; an event counts once it is stored. When a host ends, or a trigger blocks it for
too long, the host is replaced and its triggers start again from their arguments. When a triggerer ends, its heartbeats stop;
another triggerer fences it and takes its rows over.

Open `coordinator.py` first, then `host_pool.py` (which trigger runs in which host), `host_protocol.py` (the messages) and
`trigger_host.py` (the event loop inside a host).
"""
