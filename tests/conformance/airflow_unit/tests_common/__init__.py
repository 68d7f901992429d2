"""Stand-ins for the helpers of Airflow's own tests: what needs no Airflow."""
