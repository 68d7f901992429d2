"""A worker without a database: messages of a broker name attempts, and the execution API gives them.

    broker --message--> consumer process (Celery) --attempt id, token--> AttemptRelay --claim--> api-server
                                                                            |  SubmitAttempts, over the worker's own socket
                                                                            v
                                                                       WorkerService

Open `attempt_relay.py` first: it is the scheduler that `worker/loop.py` sees. `http_store.py` is the store that the loop sees; `service.py`
starts both and the consumer process, `celery_consumer.py`. Nothing of this package imports the store.
"""
