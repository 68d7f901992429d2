"""A deployment of several hosts under test: schedulers, api-servers and Celery workers, each group in a network namespace of its own.

s0, s1, ...   scheduler and dag-processor     reach the broker and PostgreSQL
a0, a1        api-server                      reach PostgreSQL; a balancer gives them one address
w0, w1, w2    celery worker                   reach the broker and that address, and no database
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.brokers import delete_queues, require_broker
from tests.chaos.balancer import Balancer
from tests.chaos.home import LAST_WORDS, Home
from tests.chaos.network import Network, network
from tests.chaos.processes import kill, until
from tests.patience import PATIENCE_S
from tests.postgres import OwnServer, own_server

RESTART_S = 1.0
"""A service that has ended is started again after this time, as systemd does with `Restart=always`."""
API_PORT = 8080
WORKERS = 3
SLOTS = 3


@dataclass
class Host:
    """One host: its home, its services, and whether it is frozen or cut."""

    name: str
    network: Network
    home: Path
    address: str
    commands: list[list[str]]
    env: dict[str, str]
    processes: list[subprocess.Popen[bytes] | None] = field(default_factory=list)
    reaches: tuple[str, ...] = ()
    """The addresses of the bridge that it needs."""
    is_down: bool = False
    """Its services are not started again for now."""

    @property
    def said(self) -> str:
        path = self.home / "stderr"
        return path.read_text(errors="replace") if path.exists() else ""

    def pids(self) -> list[int]:
        return self.network.pids(self.name)


class RedisServer:
    """A redis-server of the test's own, which may be killed: messages are lost then."""

    def __init__(self, address: str, folder: Path) -> None:
        self._address, self._folder, self.port = address, folder, 6399
        self.start()

    @property
    def url(self) -> str:
        return f"redis://{self._address}:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                "redis-server",
                "--bind",
                self._address,
                "--port",
                str(self.port),
                "--protected-mode",
                "no",
                "--save",
                "",
                "--dir",
                str(self._folder),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        self.kill()
        self.start()

    def close(self) -> None:
        self.kill()


class RelayedRabbit:
    """The RabbitMQ of this machine listens on the loopback interface: a relay gives it an address on the bridge. A test may freeze the relay."""

    def __init__(self, address: str) -> None:
        self._direct = require_broker("rabbitmq")
        parts = urlsplit(self._direct)
        self._relay = Balancer(address, [(parts.hostname or "127.0.0.1", parts.port or 5672)])
        self.url = parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}@{address}:{self._relay.port}").geturl()

    def freeze(self) -> None:
        self._relay.freeze()

    def thaw(self) -> None:
        self._relay.thaw()

    def restart(self) -> None:
        """Every connection ends, and new ones are accepted."""
        self._relay.restart()

    def close(self) -> None:
        self._relay.close()


class Cluster:
    """The deployment. `records` reads its database, and has the journal of its tasks."""

    def __init__(
        self,
        folder: Path,
        net: Network,
        postgres: OwnServer,
        broker: RedisServer | RelayedRabbit,
        schedulers: int,
        options: Mapping[str, str],
    ) -> None:
        from cryptography.fernet import Fernet

        self.folder, self.network, self.postgres, self.broker, self._options = folder, net, postgres, broker, options
        self.queue = f"gnomon-test-{os.getpid()}-{secrets.token_hex(4)}"
        self._key = Fernet.generate_key().decode()
        url = postgres.at("postgres")
        (folder / "records").mkdir()
        self.records = Home(folder / "records", url, {"GNOMON__CORE__FERNET_KEY": self._key})
        self.hosts: dict[str, Host] = {}
        for number in range(schedulers):
            commands = [["scheduler"], ["dag-processor"]] if number < 2 else [["scheduler"]]
            self._add(
                f"s{number}",
                commands,
                (net.front, net.back),
                {"GNOMON__CORE__FERNET_KEY": self._key, "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url},
            )
        for number in range(2):
            self._add(
                f"a{number}",
                [["api-server"]],
                (net.front, net.back),
                {
                    "GNOMON__CORE__FERNET_KEY": self._key,
                    "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url,
                    "GNOMON__API__HOST": "0.0.0.0",
                    "GNOMON__API__PORT": str(API_PORT),
                },
            )
        self.balancer = Balancer(net.api, [(host.address, API_PORT) for host in self.of("a")])
        for number in range(WORKERS):
            self._add(
                f"w{number}",
                [["celery", "worker", "-q", self.queue, "-c", str(SLOTS), "-H", f"w{number}@%h"]],
                (net.front, net.api),
                {
                    "GNOMON__CORE__EXECUTION_API_SERVER_URL": f"http://{self.balancer.address}:{self.balancer.port}/execution",
                },
            )
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._keep_running, daemon=True)

    def _add(self, name: str, commands: list[list[str]], reaches: tuple[str, ...], options: dict[str, str]) -> None:
        home = self.folder / name
        home.mkdir()
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GNOMON_", "AIRFLOW_"))}
        env = {
            **inherited,
            "GNOMON_HOME": str(home),
            "CHAOS_JOURNAL": str(self.records.journal),
            "CHAOS_WHERE": str(self.folder / "where"),
            "GNOMON__CORE__EXECUTOR": "CeleryExecutor",
            "GNOMON__CELERY__BROKER_URL": self.broker.url,
            "GNOMON__OPERATORS__DEFAULT_QUEUE": self.queue,
            "GNOMON__CORE__DAGS_FOLDER": str(self.records.dags),
            "GNOMON__LOGGING__BASE_LOG_FOLDER": str(self.folder / "logs"),
            "GNOMON__LOGGING__STYLE": "json",
            "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
            "GNOMON__SCHEDULER__TASK_QUEUED_TIMEOUT": "5",
            "GNOMON__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "1",
            **options,
            **self._options,
        }
        address = self.network.add_host(name, *reaches)
        self.hosts[name] = Host(name, self.network, home, address, commands, env, [None] * len(commands), reaches)

    def of(self, kind: str) -> list[Host]:
        """The hosts of a kind: s, a or w."""
        return [host for name, host in self.hosts.items() if name[0] == kind]

    # ---- services ----------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Start every service, and start again what ends."""
        self.records.prepare()
        for host in self.hosts.values():
            self._start_missing(host)
        self._watch.start()

    def _start_missing(self, host: Host) -> None:
        for number, command in enumerate(host.commands):
            process = host.processes[number]
            if process is not None and process.poll() is None:
                continue
            with (host.home / "stderr").open("ab") as log:
                host.processes[number] = subprocess.Popen(
                    [*self.network.enter(host.name), sys.executable, "-m", "gnomon", *command],
                    env=host.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def _keep_running(self) -> None:
        while not self._stop.wait(RESTART_S):
            for host in self.hosts.values():
                if not host.is_down and not self._stop.is_set():
                    self._start_missing(host)

    def end(self) -> None:
        """Kill everything of every host."""
        self._stop.set()
        if self._watch.is_alive():
            self._watch.join()
        for host in self.hosts.values():
            until(lambda host=host: not [kill(pid) for pid in host.pids()], "the end of killed processes")  # type: ignore[misc]
            for process in host.processes:
                if process is not None:
                    process.wait(PATIENCE_S)
        self.balancer.close()

    def said(self) -> str:
        """The last words of each host."""
        return "\n".join(f"---- {host.name}\n{host.said[-LAST_WORDS:]}" for host in self.hosts.values())


@contextmanager
def cluster(broker: str, schedulers: int, options: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """A deployment of one test on `redis` or `rabbitmq`, started; everything of it is removed afterwards. `options`: of all its services."""
    if broker == "redis" and shutil.which("redis-server") is None:
        reason = "no redis-server of the test's own: the package redis-server is not installed"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with ExitStack() as stack:
        net = stack.enter_context(network())
        folder = Path(tempfile.mkdtemp(prefix="gnh"))
        stack.callback(_keep_or_remove, folder)
        postgres = stack.enter_context(own_server(net.back, ["max_connections=200"]))
        carrier = RedisServer(net.front, folder) if broker == "redis" else RelayedRabbit(net.front)
        stack.callback(carrier.close)
        made = Cluster(folder, net, postgres, carrier, schedulers, options or {})
        if broker == "rabbitmq":
            stack.callback(delete_queues, require_broker("rabbitmq"), (made.queue,))
        stack.callback(made.end)
        made.start()
        try:
            yield made
        except BaseException:
            print(made.said())
            raise


def _keep_or_remove(folder: Path) -> None:
    if os.environ.get("CHAOS_KEEP"):
        shutil.copytree(folder, f"{folder}.kept", symlinks=True, ignore=shutil.ignore_patterns("run"))
    shutil.rmtree(folder, ignore_errors=True)
