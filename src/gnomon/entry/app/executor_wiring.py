"""Creates the executors of a scheduler as [core] executor says."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.entry.app.celery_settings import read_celery_settings
from gnomon.entry.app.remote_attempt_store import DatabaseRemoteAttemptStore, QueuedAttempts
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, read_executors
from gnomon.model.executors import CELERY_EXECUTOR, KUBERNETES_EXECUTOR, LOCAL_EXECUTOR, SLOTS_UNBOUND
from gnomon.queries.accounts.attempt_tokens import CLAIM, PURPOSE, AttemptTokenSigner
from gnomon.services.executors.celery_broker import CeleryPublisher, create_celery_app
from gnomon.services.executors.combined import CombinedExecutor
from gnomon.services.executors.interface import Executor
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.executors.remote import RemoteExecutor
from gnomon.storage.remote_logs.live_copies import LiveCopies
from gnomon.storage.store import Database, load_cipher

CLAIM_MARGIN_S = 3600.0
"""How much longer than the timeout of queued tasks the token of a message is valid: an attempt gets another message after the timeout."""

POD_TOKEN_S = 7 * 86400.0
"""How long the token in the Secret of a pod is valid: a pod may wait for a node for days, and the Secret is replaced only when the pod is created anew."""


def create_executor(
    cfg: Config, scheduler_id: str, host: str, database: Database, clock: Clock, queued: QueuedAttempts | None = None
) -> Executor:
    """The executor, or several as one. Raises ConfigurationError when a package of one cannot be imported.

    `queued`: gets the stores of executors whose workers claim their attempts.
    """
    queued = QueuedAttempts() if queued is None else queued
    create: dict[str, Callable[[], Executor]] = {
        LOCAL_EXECUTOR: lambda: LocalExecutor(scheduler_id, host),
        CELERY_EXECUTOR: lambda: _create_celery_executor(cfg, database, clock, queued),
        KUBERNETES_EXECUTOR: lambda: _create_kubernetes_executor(cfg, database, clock, queued),
    }
    executors = [create[executor.name]() for executor in read_executors(cfg).executors]
    return executors[0] if len(executors) == 1 else CombinedExecutor(executors)


def _create_celery_executor(cfg: Config, database: Database, clock: Clock, queued: QueuedAttempts) -> RemoteExecutor:
    signer = AttemptTokenSigner(load_cipher(cfg).derive_keys(PURPOSE))
    queued_timeout_s = cfg.number("scheduler", "task_queued_timeout")

    def sign(attempt_id: str) -> str:
        return signer.sign(CLAIM, attempt_id, "", clock.now(), queued_timeout_s + CLAIM_MARGIN_S)

    publisher = CeleryPublisher(create_celery_app(read_celery_settings(cfg)), sign)
    store = DatabaseRemoteAttemptStore(database, CELERY_EXECUTOR, clock)
    queued.add(CELERY_EXECUTOR, store)
    return RemoteExecutor(
        CELERY_EXECUTOR, cfg.integer("core", "parallelism") or SLOTS_UNBOUND, store, publisher, clock, queued_timeout_s
    )


def _create_kubernetes_executor(cfg: Config, database: Database, clock: Clock, queued: QueuedAttempts) -> Executor:
    from gnomon.entry.app import kubernetes_settings as settings  # start-up cost: few schedulers have this executor
    from gnomon.services.executors.kubernetes import cluster as clusters
    from gnomon.services.executors.kubernetes.executor import KubernetesExecutor
    from gnomon.services.executors.kubernetes.pod_controller import PodController
    from gnomon.services.executors.kubernetes.pod_hook import PodHook

    cipher = load_cipher(cfg)
    signer = AttemptTokenSigner(cipher.derive_keys(PURPOSE))
    queued_timeout_s = cfg.number("scheduler", "task_queued_timeout")

    def sign(attempt_id: str) -> str:
        return signer.sign(CLAIM, attempt_id, "", clock.now(), POD_TOKEN_S)

    deployments = settings.name_deployments(cipher.derive_keys(settings.PURPOSE))
    pods = settings.read_pod_settings(cfg, deployments)
    cluster = clusters.Cluster(settings.read_cluster_settings(cfg, deployments))
    batch = cfg.integer(settings.SECTION, "worker_pods_creation_batch_size")
    controller = PodController(
        cluster,
        pods,
        settings.read_fatal_reasons(cfg),
        sign,
        batch,
        clock,
        PodHook(build_host_environment(cfg, {}), clock),
    )
    store = DatabaseRemoteAttemptStore(database, KUBERNETES_EXECUTOR, clock, LiveCopies(cfg.logs_folder))
    queued.add(KUBERNETES_EXECUTOR, store)
    executor = KubernetesExecutor(
        cfg.integer("core", "parallelism") or SLOTS_UNBOUND,
        store,
        pods,
        controller,
        clock,
        queued_timeout_s,
        deletes_pods=cfg.boolean(settings.SECTION, "delete_worker_pods"),
        deletes_failed_pods=cfg.boolean(settings.SECTION, "delete_worker_pods_on_failure"),
    )
    controller.start()
    return executor
