"""The worker: runs attempts in child processes, writes their logs, and keeps their results until a scheduler acknowledges them.

    scheduler --SubmitAttempts--> worker --ForkChildren + socket--> file zygote --fork--> child
                                    ^------------ ChildEntered, task API requests, ChildDone ---'

Open `loop.py` first: WorkerService is one loop over the sockets of schedulers, zygotes and children. It starts the base
zygote (`zygote_main.py`, `base_zygote.py`) as a new interpreter whose environment names no database; the base zygote forks one file
zygote (`file_zygote.py`) for each version of a DAG file; a file zygote forks one child for each attempt. Each child has
its own socket to the worker, so that the end of a zygote or of a scheduler does not end it. `child_pool.py` decides
where a child comes from, `attempt_supervisor.py` follows attempts through their children, `attempt_registry.py` holds
their states and results. Modules that zygotes import never import the store.
"""
