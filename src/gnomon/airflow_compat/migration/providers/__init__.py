"""Provider packages of Airflow: their names, what they really need without Airflow itself, and what of them can be imported."""
