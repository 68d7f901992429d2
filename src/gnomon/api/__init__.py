"""The api-server: Airflow's public API, the health page and the health endpoints, on FastAPI and uvicorn (docs/decisions/0015).

Open `app.py` first; `service.py` runs it, `access` decides who may do what, `common` has what routers share, `v2` the routers. `health_reader.py`
reads the health, `page.py` renders HTML.
"""
