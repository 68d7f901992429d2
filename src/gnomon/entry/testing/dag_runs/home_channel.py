"""What DAG files read while they are imported in a process that Gnomon did not start: Variables and connections of the home."""

from __future__ import annotations

from gnomon.entry.testing.dag_runs.in_process_executor import InProcessChannel
from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import AirflowRuntimeError
from gnomon.model.errors.product import GnomonError
from gnomon.model.task_api_requests import GetConnection, GetVariable, TaskApiRequest
from gnomon.storage.store import DatabaseNotInitialised, load_cipher, open_database


class HomeChannel:
    """Answers from the home's database, which is opened for each request: requests are rare. A home without a database has no Variables."""

    def ask(self, question: TaskApiRequest) -> object:
        """The answer. Raises AirflowRuntimeError when the request is refused, or when the database cannot be read."""
        cfg = current_config()
        try:
            db = open_database(cfg.database_url, cipher=load_cipher(cfg))
        except DatabaseNotInitialised:
            return None if isinstance(question, GetVariable | GetConnection) else []
        except GnomonError as error:
            raise AirflowRuntimeError(f"the home {cfg.home} cannot be read: {error}") from None
        try:
            return InProcessChannel(db, None).ask(question)
        finally:
            db.close()
