"""`After`, for DAG files: what a run waits for in another DAG."""

from gnomon.model.after import After

__all__ = ["After"]
