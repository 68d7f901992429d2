"""The api-server: Airflow's public API, Gnomon's own, the API of workers, and the files of the page, on FastAPI and uvicorn (docs/decisions/0015).

From top to bottom: `own` (`/api/gnomon/v1`), `v2` (`/api/v2`), `auth` (logins) and `execution` (workers and running tasks without a database), `access`
(who may call what), `context.py` (what one server has), `identity` (OpenID Connect), `streams` (changes as events), `metrics` (Prometheus), `common`
(ids, pages, filters, errors). Open `app.py` first; `service.py` runs it, `health_reader.py` reads the health, `page.py` renders HTML without the page.
May import `changes`, `queries`, `storage` and below, never `services`.

An example: `POST /api/v2/dags/sales/dagRuns` is a route of `v2/dag_runs.py` with `requires(...)` of `access/permissions.py`; it calls
`changes/actions/manual_runs.py`, as `gnomon dags trigger sales` does, and turns its record into Airflow's shape (`v2/schemas`).
"""
