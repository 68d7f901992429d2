"""`/api/gnomon/v1`: what Airflow's API cannot tell. `own_routers.py` lists the routers; there is one module for each noun."""
