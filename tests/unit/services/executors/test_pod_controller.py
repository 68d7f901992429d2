"""The thread of requests of the PodController: an error that nobody expects costs one attempt, and not the thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from gnomon.ground.clock import SystemClock
from gnomon.services.executors.kubernetes.pod_controller import PodController, PodImpossible

from .test_pods import make_settings

PATIENCE_S = 30.0


class BrokenOnce:
    """A cluster whose library fails for the pod and the deletion with the name `broken`."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.deleted: list[str] = []
        self.closed = threading.Event()

    def create_pod(self, pod: Mapping[str, Any]) -> str:
        self.created.append(_refuse_broken(pod["metadata"]["name"]))
        return "uid"

    def put_secret(self, secret: Mapping[str, Any]) -> None:
        assert secret["stringData"]["token"] == "token"

    def delete_pod(self, name: str) -> None:
        self.deleted.append(_refuse_broken(name))

    def list_pods(self) -> tuple[list[Mapping[str, Any]], str]:
        return [], "1"

    def watch_pods(self, version: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        self.closed.wait(PATIENCE_S)
        return iter(())


class NoHook:
    def apply(self, pod: dict[str, Any]) -> dict[str, Any]:
        return pod

    def close(self) -> None:
        """Nothing runs."""


def _refuse_broken(name: str) -> str:
    if name == "broken":
        raise RuntimeError("of the library")
    return name


@pytest.fixture
def cluster() -> Iterator[BrokenOnce]:
    cluster = BrokenOnce()
    yield cluster
    cluster.closed.set()


def _wait_for(found: Callable[[], bool]) -> None:
    for _ in range(round(PATIENCE_S / 0.01)):
        if found():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not happen")


def test_an_error_of_the_library_costs_one_attempt_and_not_the_thread(cluster: BrokenOnce) -> None:
    controller = PodController(cluster, make_settings(), (), lambda _: "token", 8, SystemClock(), NoHook())  # type: ignore[arg-type]
    controller.start()
    try:
        controller.delete("broken")
        for attempt_id, name in (("a", "broken"), ("b", "whole")):
            controller.create(attempt_id, {"metadata": {"name": name}})
        controller.delete("other")
        _wait_for(lambda: "whole" in cluster.created and "other" in cluster.deleted)
    finally:
        controller.close()
    assert (controller.take_created(), cluster.created, cluster.deleted) == (["b"], ["whole"], ["other"])
    (impossible,) = [one for one in controller.take_updates() if isinstance(one, PodImpossible)]
    assert (impossible.attempt_id, impossible.end.reason) == (
        "a",
        "its pod cannot be created: RuntimeError: of the library",
    )
    assert not impossible.end.is_of_cluster
