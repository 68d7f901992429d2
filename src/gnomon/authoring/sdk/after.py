"""`After` for DAG files: a dependency of a DAG or task on another DAG."""

from gnomon.model.after import After

__all__ = ["After"]
