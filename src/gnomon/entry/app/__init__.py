"""The wiring: the only package that chooses database, executor, clock and wake-ups, and starts the processes of services.

    gnomon standalone
      ├─ (a child process that migrates the database and ends)
      ├─ scheduler
      ├─ worker          ── zygotes ── one child per attempt
      ├─ dag-processor   ── parse children
      ├─ api-server
      └─ triggerer       ── trigger hosts; it waits, without a database connection, until a task is deferred

The supervisor imports the modules that its services share, freezes the heap, forks the services, and restarts a service that
ends. It is a subreaper: processes that an ended service leaves behind become its children and are killed. No process is left
when the supervisor ends.

Open `standalone.py` first, then `supervisor.py`; `on_demand.py` says when the api-server, the triggerer and the monitor have work, `services.py` a single service
in the foreground. `doctor.py` is `gnomon doctor`, `housekeeping.py` and `nightly_clean.py` delete what is old.
"""
