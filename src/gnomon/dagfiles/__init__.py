"""The dag-processor: finds DAG files, parses each in a child process with limits, and records what they define."""
