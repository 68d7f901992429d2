"""`/metrics` for Prometheus (docs/decisions/0018). Open `metrics_routes.py` first; the metrics are declared in `gnomon.ground.metrics.definitions`."""
