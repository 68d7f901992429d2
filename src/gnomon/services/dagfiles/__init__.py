"""The dag-processor: finds DAG files, parses each in a child process, and records their DAGs and errors.

    dag-processor (service.py, processor.py: folders, parse queue, database)
      └─ parse server (parse_server.py: one thread, authoring packages imported, no database)
           └─ parse child (parse_child.py: imports one DAG file under limits, reports the outcome, ends)

Open `processor.py` first: `DagProcessor.run_once` calls discovery, the parse queue, the parse pool and the file registry in
this order. A DAG file is parsed again only when one of its inputs (`inputs.py`) has changed.
"""
