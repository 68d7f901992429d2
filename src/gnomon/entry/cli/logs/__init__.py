"""`gnomon tasks logs`: one log, the logs of all tasks of a run in one stream, and both while they are written.

Open `logs_command.py` first. `log_tail.py` reads new lines of a file, `log_stream.py` merges files by time and formats their lines, and
`log_follower.py` follows a run or a task instance over its attempts to its end.
"""
