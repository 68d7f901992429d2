"""All that survives a process: the database, and logs of tasks in a folder away from the machine.

From top to bottom: `remote_logs` and `store`. `store` has the schema, one file of named SQL statements for each noun, and functions that run them in a
transaction; the same names serve SQLite and PostgreSQL. May import `rules` (conditions of assets are checked in the transaction that consumes their
events), `authoring` (the login of a connection for remote logs), `ground` and `model`; runs no code of authors. What to write comes from above.

An example: `store/ownership/commit.py` writes the changes of one engine step in one transaction that first proves that this scheduler still owns
the group; when it does not, nothing is written and the caller learns why (`store/errors.py`).
"""
