"""The processes that never end: they meet in the database and on sockets, and never import one another.

    dagfiles     the dag-processor: finds files, parses each in a child, stores specs
    scheduler    plans runs, steps the engine, commits, submits attempts
    worker       starts a child for each attempt and keeps its result until it is stored
    triggerer    runs triggers of deferred tasks in its hosts
    monitor      rules of alerts, messages, the nightly clean
    executors    below the five: how a scheduler reaches workers (the interface, local sockets, Celery, Kubernetes)

May import everything below, `changes` included; only `entry.app` starts them. Each has a `service.py` (or a loop that its docstring names), is given its
clock, store and executor, and does one bounded round at a time.

An example: a worker dies. Its heartbeats stop; the scheduler marks its attempts lost in its next round and submits them anew where that is allowed.
Neither called the other.
"""
