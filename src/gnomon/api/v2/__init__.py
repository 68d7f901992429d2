"""`/api/v2`: Airflow's public API, one router module for each tag of its document. `routers.py` lists them, `unsupported.py` what has no counterpart."""
