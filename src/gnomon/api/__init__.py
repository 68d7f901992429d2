"""The api-server: a read-only health page and Airflow's health endpoints, on the HTTP server of the standard library.

docs/decisions/0002 gives the reasons. Open `service.py` first; `health_reader.py` reads the store, `page.py` renders HTML.
"""
