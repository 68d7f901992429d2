"""The wiring: the only place that chooses database, executor, clock and wake-ups, and starts processes of services.

    gnomon standalone
      ├─ (a child that prepares the database and ends: the supervisor never imports the store)
      ├─ scheduler
      ├─ worker          ── zygotes ── one child per attempt
      ├─ dag-processor   ── parse children
      ├─ api-server
      └─ triggerer       ── hosts of triggers; it waits, without a database, until something waits for it

The supervisor imports what its services share, freezes it, forks them, and starts again whichever dies. It is a
subreaper: what a dead service leaves behind becomes its child and is killed. Nothing is left when it ends.
"""
