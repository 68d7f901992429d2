"""The scheduler as a service: collect what changed, step the engine, commit, act, sleep.

One process, one thread, no lock: everything that can happen to a run is an event in one list. `SchedulerService.tick`
does one bounded round and returns when it wants to be called again; `run` sleeps in between until then, or until a
worker, another process or the database wakes it. Clock, executor, wake-ups, database and ids are arguments, so that
the simulator can be all of them.

Failures. A commit that is refused or whose outcome is unknown drops the memory of the owned groups; the next tick reads
them again and asks every worker for its inventory (OWNERSHIP.md lines 14, 15, 40). A scheduler that finds itself fenced
stops (`Fenced`): its supervisor starts a new incarnation.
"""
