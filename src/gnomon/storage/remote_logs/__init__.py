"""Logs of tasks in a folder away from the machine, by fsspec: `[logging] remote_logging`.

`remote_log_settings.py` reads the options, `remote_log_folder.py` is the folder, `remote_log_names.py` the names in it. A worker marks logs in an
`upload_spool.py`, from which a process of its own, `uploader_main.py`, uploads them. Readers of logs ask a `task_log_folder.py`, which has the local
files and copies of remote ones.
"""
