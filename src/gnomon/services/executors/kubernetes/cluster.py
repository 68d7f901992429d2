"""The API server of a cluster, by the official client (the extra `kubernetes`). Pods are dicts, as in manifests; errors are those of this module."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gnomon.model.errors import ConfigurationError
from gnomon.model.executors import KUBERNETES_EXECUTOR
from gnomon.model.sentences import say
from gnomon.services.executors.kubernetes.pod_template import DEPLOYMENT_LABEL

REQUEST_S = (5.0, 30.0)
"""Limits of a request: to connect, and between two parts of the answer."""
WATCH_S = 300
"""How long the API server keeps one watch open."""
_SILENCE_S = 60.0
"""How much longer than WATCH_S a watch may be silent."""
_PAGE = 500


class ClusterAway(Exception):
    """The API server does not answer, or cannot now: the same request may succeed later."""


class PodConflict(Exception):
    """There is an object of this name already (409)."""


class RequestInvalid(Exception):
    """The API server refuses the object itself (400, 422): the same request never succeeds."""


class VersionGone(Exception):
    """The resource version of a watch is too old (410): the objects have to be listed again."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How the API server is reached, and where the pods are."""

    namespace: str
    deployments: tuple[str, ...]
    """The values of the label DEPLOYMENT_LABEL whose pods are this deployment's: one for each key of the database."""
    in_cluster: bool = True
    config_file: str = ""
    """The kubeconfig; empty: as kubectl finds it."""
    context: str = ""
    verify_ssl: bool = True
    ssl_ca_cert: str = ""
    delete_options: Mapping[str, Any] = field(default_factory=dict)


class Cluster:
    """Requests about the pods of one deployment. Safe for several threads."""

    def __init__(self, settings: ClusterSettings) -> None:
        """Raises ConfigurationError without the package, or when the credentials cannot be read."""
        self._settings = settings
        self._api = _connect(settings)

    @property
    def configuration(self) -> Any:
        """The client's configuration: address, credentials and certificates."""
        return self._api.api_client.configuration

    def create_pod(self, pod: Mapping[str, Any]) -> str:
        """Create the pod; returns its uid. Raises PodConflict, RequestInvalid, ClusterAway."""
        uid: str = self._call("create_namespaced_pod", self._settings.namespace, dict(pod))["metadata"]["uid"]
        return uid

    def find_pod_uid(self, name: str) -> str | None:
        """The uid of the pod; None when there is none. Raises ClusterAway."""
        pod = self._call("read_namespaced_pod", name, self._settings.namespace, missing_ok=True)
        return None if pod is None else pod["metadata"]["uid"]

    def put_secret(self, secret: Mapping[str, Any]) -> None:
        """Create the Secret, or replace one of the same name. Raises RequestInvalid, ClusterAway."""
        try:
            self._call("create_namespaced_secret", self._settings.namespace, dict(secret))
        except PodConflict:
            self._call(
                "replace_namespaced_secret",
                secret["metadata"]["name"],
                self._settings.namespace,
                dict(secret),
                missing_ok=True,
            )

    def delete_pod(self, name: str) -> None:
        """Delete the pod; nothing when there is none. Raises ClusterAway."""
        options = {"body": dict(self._settings.delete_options)} if self._settings.delete_options else {}
        self._call("delete_namespaced_pod", name, self._settings.namespace, missing_ok=True, **options)

    def list_pods(self) -> tuple[list[Mapping[str, Any]], str]:
        """All pods, and the resource version from which a watch goes on. Raises ClusterAway; VersionGone when the list took too long."""
        pods: list[Mapping[str, Any]] = []
        more = ""
        while True:
            page = self._call(
                "list_namespaced_pod",
                self._settings.namespace,
                label_selector=self._selector,
                limit=_PAGE,
                _continue=more or None,
            )
            pods += page.get("items") or ()
            more = (page.get("metadata") or {}).get("continue") or ""
            if not more:
                return pods, str((page.get("metadata") or {}).get("resourceVersion") or "")

    def watch_pods(self, version: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """(kind, pod) of each change after the version: ADDED, MODIFIED, DELETED, or BOOKMARK, which only brings a version. Ends with the watch.

        Raises VersionGone and ClusterAway.
        """
        response = self._send(
            "list_namespaced_pod",
            self._settings.namespace,
            label_selector=self._selector,
            watch=True,
            resource_version=version,
            allow_watch_bookmarks=True,
            timeout_seconds=WATCH_S,
            _request_timeout=(REQUEST_S[0], WATCH_S + _SILENCE_S),
        )
        try:
            for line in _iterate_lines(response):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise _translate(int(event["object"].get("code") or 500), json.dumps(event["object"]))
                yield event["type"], event["object"]
        except (OSError, ValueError, KeyError) as error:
            raise ClusterAway(f"the watch was interrupted: {type(error).__name__}: {error}") from error
        except _http_errors() as error:
            raise ClusterAway(f"the watch was interrupted: {type(error).__name__}: {error}") from error
        finally:
            response.close()

    @property
    def _selector(self) -> str:
        return f"{DEPLOYMENT_LABEL} in ({','.join(self._settings.deployments)})"

    def _call(self, method: str, *args: Any, missing_ok: bool = False, **kwargs: Any) -> Any:
        response = self._send(method, *args, missing_ok=missing_ok, _request_timeout=REQUEST_S, **kwargs)
        if response is None:
            return None
        try:
            return json.loads(response.data)
        except ValueError as error:
            raise ClusterAway(f"the API server answered {method} with something else than JSON") from error

    def _send(self, method: str, *args: Any, missing_ok: bool = False, **kwargs: Any) -> Any:
        """The response, whose body is not read; None for an object that does not exist, with `missing_ok`."""
        from kubernetes.client import ApiException  # an extra, and slow: help of commands loads this module

        try:
            response = getattr(self._api, method)(*args, _preload_content=False, **kwargs)
            status, body = response.status, b"" if response.status < 400 else response.data
        except ApiException as error:
            status, body = int(error.status or 0), error.body or ""
        except _http_errors() as error:
            raise ClusterAway(f"the API server does not answer: {type(error).__name__}: {error}") from error
        except (ValueError, TypeError) as error:  # the client's own check of the object
            raise RequestInvalid(" ".join(str(error).split())) from error
        if status == 404 and missing_ok:
            return None
        if not 200 <= status < 300:
            raise _translate(status, body)
        return response


def _connect(settings: ClusterSettings) -> Any:
    try:
        from kubernetes import client, config  # an extra, and slow to import
    except ImportError as error:
        raise ConfigurationError(
            say("package_of_executor_is_missing", executor=KUBERNETES_EXECUTOR, package="kubernetes", error=str(error))
        ) from error
    configuration = client.Configuration()
    try:
        if settings.in_cluster:
            config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
        else:
            config.load_kube_config(
                config_file=settings.config_file or None,
                context=settings.context or None,
                client_configuration=configuration,
            )  # type: ignore[no-untyped-call]
    except (config.ConfigException, OSError) as error:
        what = (
            say("process_is_in_no_pod")
            if settings.in_cluster
            else say("kubeconfig_cannot_be_used", file=settings.config_file or "of this user")
        )
        raise ConfigurationError(say("cluster_cannot_be_used", why=what, error=str(error))) from error
    if not settings.verify_ssl:
        configuration.verify_ssl = False
    if settings.ssl_ca_cert:
        if not os.access(settings.ssl_ca_cert, os.R_OK):
            raise ConfigurationError(say("ca_file_cannot_be_read", file=str(settings.ssl_ca_cert)))
        configuration.ssl_ca_cert = settings.ssl_ca_cert
    return client.CoreV1Api(client.ApiClient(configuration))


def _http_errors() -> tuple[type[Exception], ...]:
    """The errors of a connection; the package of the client brings urllib3."""
    from urllib3.exceptions import HTTPError  # comes with the extra

    return (HTTPError, OSError)


def _translate(status: int, body: str | bytes) -> Exception:
    try:
        message = str(json.loads(body).get("message") or body)
    except (ValueError, AttributeError):
        message = body.decode(errors="replace") if isinstance(body, bytes) else str(body)
    text = f"{' '.join(message.split())[:500]} (status {status})"
    if status == 409:
        return PodConflict(text)
    if status == 410:
        return VersionGone(text)
    if status in (400, 422):
        return RequestInvalid(text)
    return ClusterAway(text)


def _iterate_lines(response: Any) -> Iterator[bytes]:
    """The lines of a streamed answer; the last one may lack its end, and is then no event."""
    rest = b""
    for part in response.stream(amt=None, decode_content=True):
        *lines, rest = (rest + part).split(b"\n")
        yield from (line for line in lines if line.strip())
