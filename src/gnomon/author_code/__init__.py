"""Where code of authors runs: always in a process of its own, under limits, without the database.

From top to bottom: `runner` (one attempt of a task, in a forked child or in a new interpreter) and `timetable_host` (author timetables, mappers and
policies, one request after the other); `loading` (importing DAG files, plugins and classes by path), `context` (what a running task sees of its run) and
`processes` (how such processes start, talk, are limited and end). May import `authoring`, `rules`, `ground` and `model`, never `storage`: what a task
asks about its run goes as a message to its worker.

An example: a task calls `ti.xcom_pull()`. `context/runtime_task_instance.py` sends a request (`model/task_api_requests.py`) over the socket of its child
(`processes/message_stream.py`); the worker has it answered (`queries/taskapi`) with the rights of this attempt.
"""
