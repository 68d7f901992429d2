"""`ApiContext`: what every route needs of its process: the options, the clock, the database, and acting for a user."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from gnomon.api.common.account_places import AccountPlaces
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.health import HealthSnapshot
from gnomon.api.identity.identity_provider import IdentityProvider
from gnomon.api.identity.oidc_settings import read_oidc_settings
from gnomon.api.metrics.server_figures import ServerFigures
from gnomon.api.policies import AccessPolicy, User
from gnomon.api.streams.event_hub import EventHub
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.network_address import read_networks
from gnomon.ground.wakeups import Notifier, change_notifier
from gnomon.model.sentences import say
from gnomon.queries.accounts import attempt_tokens
from gnomon.queries.accounts.authentication import Authenticator
from gnomon.queries.accounts.sessions import SessionRules
from gnomon.queries.accounts.signed_tokens import PURPOSE, TokenSigner
from gnomon.queries.report.listings.dag_facts import VersionFactsCache
from gnomon.storage.remote_logs.live_copies import LiveCopies
from gnomon.storage.remote_logs.remote_log_folder import open_remote_log_folder
from gnomon.storage.remote_logs.task_log_folder import TaskLogFolder
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from gnomon.api.metrics.figures_reader import FiguresReader
    from gnomon.api.running_simulations import RunningSimulations, StartSimulation
    from gnomon.queries.report.activity.coming_slots import ComingSlotsCache
    from gnomon.queries.report.activity.forecast_accuracy import AccuracyCache
    from gnomon.queries.report.activity.newest_forecast import NewestForecastCache
    from gnomon.queries.report.activity.work_facts import WorkFactsCache
    from gnomon.queries.report.listings.log_index import LogIndexCache

STATEMENT_LIMIT_S = 10.0
"""A statement that reads for longer is cancelled, and its request is answered with 503: it holds one of few threads."""
CLOSE_WAIT_S = 1.0
"""How long the end of the process waits for the thread that reads changes."""
_REMOTE_CALLS = RequestSlots("requests for logs of the remote log folder", 6)
"""A remote folder that is slow, or a log that is large, must not hold all threads."""


class ApiContext:
    """One object for the process. `sleep`: called with seconds while a request waits; tests replace it. Raises OptionError for wrong options."""

    def __init__(
        self,
        cfg: Config,
        clock: Clock,
        policy: AccessPolicy,
        read_health: Callable[[], HealthSnapshot],
        sleep: Callable[[float], object] = time.sleep,
        database: Database | None = None,
    ) -> None:
        self.cfg = cfg
        self.clock = clock
        self.policy = policy
        self.read_health = read_health
        self.sleep = sleep
        self.facts = VersionFactsCache()
        self.event_hub = EventHub(lambda: self.database, lambda: run_folder(cfg.home), self.facts)
        self.open_to_metrics = read_networks(cfg, "metrics", "prometheus_allow")
        """The networks from which /metrics needs no login."""
        self.oidc = read_oidc_settings(cfg)
        """How people log in at an identity provider; None: with passwords only."""
        self.server_figures = ServerFigures(clock, lambda: self.database)
        self.open_waits = AccountPlaces("requests that wait for the end of a run")
        self.start_simulation: StartSimulation | None = None
        """Starts the process of a simulation; None: this server starts none."""
        self._database = database
        self._is_closed = False
        self._guard = threading.Lock()

    @property
    def database(self) -> Database:
        """The database, opened by the first request that needs it. Each transaction has a connection of its own, of which some are kept.

        Raises the errors of `open_database`; the next request tries again. Raises DatabaseUnavailable after `close`.
        """
        with self._guard:
            if self._is_closed:
                raise DatabaseUnavailable(say("api_server_stops"))
            if self._database is None:
                self._database = open_database(
                    self.cfg.database_url,
                    role="api-server",
                    synchronous=self.cfg.text("database", "synchronous"),
                    clock=self.clock,
                    cipher=load_cipher(self.cfg),
                    announce_changes=change_notifier(run_folder(self.cfg.home)).notify,
                    read_limit_s=STATEMENT_LIMIT_S,
                    keeps_specs=True,
                )
            return self._database

    # What few requests need is imported by the first of them: a server that has just started answers sooner, and one that is hardly asked is smaller.
    @cached_property
    def work_facts(self) -> WorkFactsCache:
        """What runs and waits now, for all who ask within some moments."""
        from gnomon.queries.report.activity.work_facts import WorkFactsCache

        return WorkFactsCache(self.clock)

    @cached_property
    def coming_slots(self) -> ComingSlotsCache:
        """The next due times of all DAGs."""
        from gnomon.queries.report.activity.coming_slots import ComingSlotsCache

        return ComingSlotsCache()

    @cached_property
    def accuracy(self) -> AccuracyCache:
        """How good predictions were, read now and then."""
        from gnomon.queries.report.activity.forecast_accuracy import AccuracyCache

        return AccuracyCache()

    @cached_property
    def forecasts(self) -> NewestForecastCache:
        """The newest forecast of the monitor."""
        from gnomon.queries.report.activity.newest_forecast import NewestForecastCache

        return NewestForecastCache()

    @cached_property
    def simulations(self) -> RunningSimulations:
        """The simulations that were asked for at this server; `start_simulation` must be set."""
        from gnomon.api.running_simulations import RunningSimulations

        assert self.start_simulation is not None
        return RunningSimulations(self.start_simulation, lambda: self.database, self.clock)

    @property
    def simulation_count(self) -> int:
        """How many simulations of this server are computed now."""
        return self.simulations.count if "simulations" in self.__dict__ else 0

    @cached_property
    def log_indexes(self) -> LogIndexCache:
        """Where the lines of long logs begin."""
        from gnomon.queries.report.listings.log_index import LogIndexCache

        return LogIndexCache()

    @cached_property
    def figures_reader(self) -> FiguresReader:
        """The figures of the deployment for /metrics."""
        from gnomon.api.metrics.figures_reader import FiguresReader

        return FiguresReader(self.cfg, self.clock)

    @cached_property
    def task_logs(self) -> TaskLogFolder:
        """The logs of tasks, on this machine and in the remote folder. Raises OptionError when the options of that are wrong."""
        return TaskLogFolder(
            self.cfg.logs_folder,
            open_remote_log_folder(self.cfg, lambda: self.database),
            self.clock,
            _REMOTE_CALLS.take,
        )

    @cached_property
    def live_logs(self) -> LiveCopies:
        """What workers without a database have sent of running logs."""
        return LiveCopies(self.cfg.logs_folder)

    @cached_property
    def authenticator(self) -> Authenticator:
        """Reads the credentials of requests. Raises as `database`, and InvalidKey when the key of the home cannot be used."""
        keys = load_cipher(self.cfg).derive_keys(PURPOSE)
        signer = TokenSigner(keys, self.cfg.number("api_auth", "jwt_leeway"))
        return Authenticator(
            self.database, self.clock, signer, SessionRules(60.0 * self.cfg.number("api", "session_idle_minutes"))
        )

    @cached_property
    def attempt_tokens(self) -> attempt_tokens.AttemptTokenSigner:
        """Signs and reads the tokens of the execution API. Raises InvalidKey when the key of the home cannot be used."""
        return attempt_tokens.AttemptTokenSigner(
            load_cipher(self.cfg).derive_keys(attempt_tokens.PURPOSE), self.cfg.number("api_auth", "jwt_leeway")
        )

    @cached_property
    def notifier(self) -> Notifier:
        """Wakes every service of the home on this host. Raises OptionError when the folder for sockets cannot be created."""
        return Notifier(run_folder(self.cfg.home))

    @cached_property
    def identity_provider(self) -> IdentityProvider:
        """The provider of [oidc] issuer, which must be set."""
        assert self.oidc is not None
        return IdentityProvider(self.oidc, self.clock)

    def act_as(self, user: User) -> UserOfApi:
        """The user, as `gnomon.changes.actions` needs one."""
        return UserOfApi(self, user)

    def close(self) -> None:
        """Close the database connections. A thread that still has a transaction closes its connection when that ends."""
        if "simulations" in self.__dict__:
            self.simulations.close(CLOSE_WAIT_S)
        self.event_hub.join(CLOSE_WAIT_S)
        with self._guard:
            self._is_closed = True
            if self._database is not None:
                self.server_figures.remove(self._database)
                self._database.close()
                self._database = None


class UserOfApi:
    """An `Actor` (`gnomon.changes.actions.actor`): the user of a request."""

    def __init__(self, context: ApiContext, user: User) -> None:
        self._context = context
        self.clock = context.clock
        self.cfg = context.cfg
        self.by = f"api:{user.name}"
        self.address = user.address

    def sleep(self, seconds: float, /) -> object:
        """Wait in the thread of the request."""
        return self._context.sleep(seconds)

    def wake_services(self) -> None:
        """Wake every service of the home on this host."""
        self._context.notifier.notify()


async def _find_context(request: Request) -> ApiContext:
    """Async, as each dependency that waits for nothing: FastAPI calls every other one in a thread, which costs more than the call."""
    context: ApiContext = request.app.state.context
    return context


Context = Annotated[ApiContext, Depends(_find_context)]
"""The context of the server, as the argument of a route."""
