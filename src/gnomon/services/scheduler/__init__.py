"""The scheduler service: collect events, step the engine, commit, send the results, sleep. Open `service.py` first.

One process, one thread, no lock: everything that can happen to a run is an event in one list. `SchedulerService.tick`
does one bounded round and returns the instant of the next round. `run` sleeps until that instant, or until a worker,
another process or the database wakes it. Clock, executor, listener, database and ids are arguments, so that the
simulator can replace each of them.

- Input: `lease.py` (owned groups), `mailbox.py` (workers and mail), `event_translation.py` (both as engine events),
  `multipart_requests.py` (requests that concern several owners).
- Planned runs: `planner.py` (built-in timetables), `author_plans.py` (author timetables), `planning_cursors.py`.
- Dependencies between DAGs: `edge_resolution.py`, `upstream_reader.py`, `author_slot_queries.py`.
- Faults: `quarantine.py`, `consecutive_failures.py`.

When a commit is rejected, or its outcome is unknown, the scheduler drops the owned groups from memory. The next round
loads them again and requests the inventory of every worker (LOAD and WINDOWS in docs/contributing/ownership.md). A fenced
scheduler stops with FencedError, and its supervisor starts a new incarnation.
"""
