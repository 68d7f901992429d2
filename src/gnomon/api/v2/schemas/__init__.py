"""The bodies and answers of `/api/v2`, one module for each tag; names and fields are those of Airflow's OpenAPI document."""
