"""The two databases. Open `sqlite.py` or `postgres.py` first: both implement `DriverConnection` of `store/transaction.py`.

`sqlite_file.py` checks files and translates SQLite's errors, `write_lock.py` is the lock of SQLite's writers.
"""
