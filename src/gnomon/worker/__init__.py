"""The machine's side of execution: zygotes, children, logs, and results that are kept until the store has them.

    scheduler --submit--> service --order+socket--> file zygote --fork--> child
                             ^------------------- entered, questions, result ------'

The service (`service.py`) is one loop over sockets. It starts the base zygote (`zygote.py`) as a new interpreter whose
environment names no database; that forks one file zygote (`filezygote.py`) per version of a DAG file, and those fork
a child per attempt. Each child speaks with the service over a socket of its own, so that neither a zygote's death nor
a scheduler's ends it. Modules that zygotes import never import the store.
"""
