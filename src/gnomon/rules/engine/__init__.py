"""The engine: runs in memory, and `step(engine_state, events, now, ...)`, which decides what happens to them.

`EngineState` holds the unfinished runs of the groups that one scheduler owns. A step applies events (results, new runs,
requests of users, workers that join or are lost) and returns a `StepResult`: the changes to write in one transaction, and
what to do after the commit (submit attempts, cancel attempts, acknowledge results). The engine does no I/O, reads no clock
and draws no random number: `now` and the source of attempt ids are arguments.

A step has five phases: (1) one handler for each event (`step._HANDLERS`), (2) timers that are due, (3) consequences until
nothing changes: evaluate the rules of tasks, end runs, start runs, (4) admission: attempts for ready task instances while
workers, pools and limits have room, (5) the rows of everything that changed.

An example: a DAG with the tasks a >> b, and one worker.

1. `RunRead(run)`: `attach_run` makes the task instances a and b, both without a state; `start_queued_runs` sets the run to
   running and enqueues both for evaluation. The rule of a has no upstream, so `make_ready` moves a from QueueState.NONE to
   POOL. The rule of b waits: its tally counts 0 of 1 upstream tasks. `admit_ready` finds a first in the queue of its pool:
   QueueState.NONE, state queued, attempt a0. Result: the rows of the run and of a; `submits` = {worker: [a0]}.
2. `AuthorCodeEntered(a0)`: a is running. Result: the row of a.
3. `ResultReceived(a0, success)`: `release_attempt` frees the slots, `finish_task_instance` sets a to success, counts a in
   the tally of b and enqueues b for evaluation. The rule of b now says RUN: b is ready and admitted in the same step.
   Result: the rows of a and b, the record of attempt a0, `acknowledges` = {worker: [a0]}, `submits` = {worker: [a1]}.
4. `AuthorCodeEntered(a1)`: b is running.
5. `ResultReceived(a1, success)`: b is success, and the run has no unfinished task instance, so `end_run_if_done` sets it to
   success; `drop_ended_run` removes it from memory. Result: the rows of b and of the run.

Each change of a task instance's state is a row of `decide.transitions`, taken by `lifecycle.transition`; each change of its
queue is a row of `state.queue_state`, taken by `move_in_queue`.

Failure. A step changes the EngineState in place. If its transaction is refused, or the outcome of the commit is unknown,
the scheduler drops the EngineState and loads it again with the code of a take-over (`lifecycle.group_loading`). So memory
is ahead of the store by one step at most, and nothing acts on that step before its commit.

Cost. An event costs what it touches: a finished task updates the tallies of its direct downstream tasks, a released slot
admits one task. One heap holds all timers.

Open `step.py` first. `state/` holds the data, `lifecycle/` what changes it, `admission/` the slots and limits,
`dependencies/` the waits between DAGs; `requests.py` applies requests of users, `explain.py` says why something waits.
"""
