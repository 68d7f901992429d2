"""What an administrator sets: `pools.py`, `variables.py` and `connections.py`, one table each."""
