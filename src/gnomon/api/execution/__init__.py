"""The execution API below `/execution`: workers and running tasks without a database.

Open `execution_routes.py` first. It is not for users: its clients are Gnomon's own workers, and each request carries a token for
one attempt or one worker (`gnomon.queries.accounts.attempt_tokens`).
"""
