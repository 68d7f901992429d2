"""Read-only answers about DAGs, runs and tasks: typed records that the command line and the API print as they are.

Instants in records are ISO 8601 text in UTC with microseconds; a name that is not there is answered with the nearest.
"""
