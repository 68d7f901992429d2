"""Where a command works: on the store of the home, or on a deployment behind the API that `--api` or `GNOMON_API` names."""
