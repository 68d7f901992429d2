"""The heart: runs in memory, and `step(events, now)`, which decides what becomes of them.

Model. `Memory` holds the unfinished runs of the groups that one scheduler owns. A step takes events (results, new runs,
actions of people, workers coming and going) and returns a `Step`: the changes to write in one transaction, and what to do
once they are written (submit, cancel, acknowledge). Nothing here does I/O, reads a clock or draws a random number: `now`
and the source of attempt ids are arguments.

Failure. A step changes the memory in place. If its transaction is refused, or nobody knows whether it was committed, the
memory is dropped and read again from the store, by the code that a take-over uses (`docs/decisions`). So memory is never
ahead of the store by more than the step under way, and nothing acts on it in between.

Cost. An event costs what it touches: an ended task updates the tallies of its direct downstream tasks, a freed slot wakes
one waiting task. One heap holds all times.
"""
