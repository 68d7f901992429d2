"""Object storage for DAG files and tasks: paths on stores that fsspec reads. Needs the extra `object-storage`."""
