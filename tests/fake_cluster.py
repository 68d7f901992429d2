"""A fake of a Kubernetes cluster: an API server for pods and Secrets over HTTP, and a kubelet that runs the command of a pod as a process of this machine.

It is no cluster. It follows these documented rules (kubernetes.io: "Kubernetes API Concepts", "Pod Lifecycle", "Garbage Collection"):
each change raises one resource version, which lists and objects carry; a watch sends the changes after its version, with bookmarks, and ends after
`timeoutSeconds`; a version older than the kept changes is answered with 410 Gone, as a status or as an ERROR event; a second object of a name is refused with
409 AlreadyExists; an object that the models of the official client refuse is refused with 422; a deletion sets `deletionTimestamp`, sends SIGTERM to the process
and SIGKILL after the grace, and then the object goes; an object whose owner is gone goes as well; a pod waits until the Secrets of its volumes exist.
A volume is a folder: its mount path is replaced in the command and in the environment. The name of a Service is replaced by an address.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs, urlsplit

import yaml
from kubernetes.client import models
from tests.commands import StartedCommand, start_service

Object = dict[str, Any]
Process = StartedCommand | subprocess.Popen[str] | subprocess.Popen[bytes]
"""That of a pod."""
TOKEN = "a-service-account"
NAMESPACE = "work"
MISSING_IMAGE = "registry.example.com/missing"
"""The image that no node can pull."""
_PATH = re.compile(r"/api/v1/namespaces/([^/]+)/(pods|secrets)(?:/([^/]+))?$")
_SELECTOR = re.compile(r"([^ ]+) in \(([^)]*)\)$")
_MODELS = {"pods": models.V1Pod, "secrets": models.V1Secret}


class Refusal(Exception):
    """An answer that is an error: its code, reason and message."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "code": code,
            "reason": reason,
            "message": message,
        }
        self.code = code


class FakeCluster:
    """The objects of one namespace, the changes of its pods, and the processes of these pods."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services: dict[str, str] = {}
        """The address for each name of a Service, as `host:port`."""
        self.host_folders: dict[str, str] = {}
        """The folder of this machine for each path of a `hostPath` volume."""
        self.has_room = True
        """Whether a node takes new pods."""
        self.is_paused = False
        """True: the kubelet starts nothing."""
        self.refusals: list[Refusal] = []
        """Answers for the next creations of pods, before any other rule."""
        self.requests: list[str] = []
        """Method and path of each request."""
        self.bodies: list[Object] = []
        """The pods of all requests for a creation."""
        self.deletions: list[Object] = []
        """The options of all deletions of pods over HTTP."""
        self.gone_as_event = False
        """Whether 410 comes as an event of the watch instead of as its status."""
        self._changed = threading.Condition()
        self._version = 1
        self._oldest = 1
        """Watches from an older version are refused."""
        self._objects: dict[str, dict[str, Object]] = {"pods": {}, "secrets": {}}
        self._changes: list[tuple[int, str, Object]] = []
        self._processes: dict[str, Process] = {}
        self._ends: dict[str, Object] = {}
        """What the status of a pod says whose process was ended by the cluster, by uid."""
        self._is_closed = False
        self._cuts = 0
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, name="fake-api-server", daemon=True).start()
        threading.Thread(target=self._run_kubelet, name="fake-kubelet", daemon=True).start()

    # ---- what tests do ---------------------------------------------------------------------------------------------------
    def write_kubeconfig(self) -> Path:
        """A kubeconfig for this cluster."""
        path = self.folder / "kubeconfig"
        path.write_text(
            yaml.safe_dump(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "fake",
                    "clusters": [{"name": "c", "cluster": {"server": self._server.address}}],
                    "users": [{"name": "u", "user": {"token": TOKEN}}],
                    "contexts": [{"name": "fake", "context": {"cluster": "c", "user": "u"}}],
                }
            )
        )
        return path

    def pods(self) -> list[Object]:
        """Copies of all pods."""
        return self._copy("pods")

    def secrets(self) -> list[Object]:
        """Copies of all Secrets."""
        return self._copy("secrets")

    def compact(self) -> None:
        """Forget all changes, as etcd does after minutes, and cut the watches: they have to list again."""
        with self._changed:
            self._touch()
            self._oldest = self._version
            self._changes.clear()
            self._cuts += 1
            self._changed.notify_all()

    def cut_watches(self) -> None:
        """End all watches in the middle, as a restart of the API server does."""
        with self._changed:
            self._cuts += 1
            self._changed.notify_all()

    def delete(self, name: str, grace_s: float = 0.5, disruption: Object | None = None) -> None:
        """Delete a pod, as `kubectl delete pod` does; `disruption`: as a controller that says why."""
        with self._changed:
            pod = self._objects["pods"].get(name)
            if pod is None:
                raise Refusal(404, "NotFound", f'pods "{name}" not found')
            if disruption is not None:
                pod["status"].setdefault("conditions", []).append(
                    {"type": "DisruptionTarget", "status": "True", **disruption}
                )
            pod["metadata"]["deletionTimestamp"] = _now()
            self._record("MODIFIED", pod)
            process = self._processes.get(pod["metadata"]["uid"])
        threading.Thread(
            target=self._finish_deletion, args=(pod["metadata"]["uid"], name, process, grace_s), daemon=True
        ).start()

    def vanish(self, name: str) -> None:
        """The pod goes at once, and so do its processes, as a node that is deleted by force."""
        with self._changed:
            pod = self._objects["pods"][name]
            self._kill(self._processes.pop(pod["metadata"]["uid"], None))
            self._remove(pod)

    def kill_for_memory(self, name: str) -> None:
        """The kernel kills the processes of the pod."""
        self._end(name, {"containers": {"reason": "OOMKilled", "exitCode": 137}})

    def evict(self, name: str) -> None:
        """The kubelet evicts the pod, because its node lacks memory."""
        self._end(name, {"status": {"reason": "Evicted", "message": "The node was low on resource: memory."}})

    def close(self) -> None:
        """End the server and all processes."""
        with self._changed:
            self._is_closed = True
            self._cuts += 1
            self._changed.notify_all()
            processes = list(self._processes.values())
        for process in processes:
            self._kill(process)
        self._server.shutdown()
        self._server.server_close()

    def logs(self) -> str:
        """The output of all pods, for tests that fail."""
        return "\n".join(
            f"--- {path.parent.name}\n{path.read_text()[-3000:]}" for path in sorted(self.folder.glob("*/log"))
        )

    # ---- the API server ----------------------------------------------------------------------------------------------------
    def answer(self, method: str, path: str, query: Mapping[str, list[str]], body: Object | None) -> Object:
        """The answer to a request that is no watch. Raises Refusal."""
        kind, name = self._find_resource(path)
        with self._changed:
            self.requests.append(f"{method} {path}")
            if method == "POST" and body is not None:
                return json.loads(json.dumps(self._create(kind, body)))
            if method == "GET" and name is None:
                return self._list(kind, query)
            found = self._objects[kind].get(name or "")
            if found is None:
                raise Refusal(404, "NotFound", f'{kind} "{name}" not found')
            if method == "PUT" and body is not None:
                self._check_model(kind, body)
                found.update({key: value for key, value in body.items() if key != "metadata"})
                self._touch()
            answer: Object = json.loads(json.dumps(found))
        if method == "DELETE":
            self.deletions.append(body or {})
            self.delete(answer["metadata"]["name"], float((body or {}).get("gracePeriodSeconds") or 0.5))
        return answer

    def watch(self, path: str, query: Mapping[str, list[str]]) -> Iterator[Object]:
        """The events of a watch. Raises Refusal."""
        self._find_resource(path)
        sent = int(query.get("resourceVersion", ["0"])[0] or 0)
        ends_at = time.monotonic() + float(query.get("timeoutSeconds", ["60"])[0])
        selects = _read_selector(query)
        with self._changed:
            cuts = self._cuts
            self.requests.append(f"WATCH {path}")
            if sent < self._oldest and sent:
                gone = Refusal(410, "Expired", f"too old resource version: {sent} ({self._oldest})")
                if not self.gone_as_event:
                    raise gone
                yield {"type": "ERROR", "object": gone.status}
                return
        while time.monotonic() < ends_at:
            with self._changed:
                found = [
                    (version, kind, pod) for version, kind, pod in self._changes if version > sent and selects(pod)
                ]
                if not found:
                    self._changed.wait(0.5)
                    if cuts != self._cuts:
                        return
            for version, kind, pod in found:
                yield {"type": kind, "object": pod}
                sent = version
            if not found and query.get("allowWatchBookmarks") == ["true"]:
                with self._changed:
                    sent = max(
                        sent, self._version if not [1 for version, *_ in self._changes if version > sent] else sent
                    )
                yield {
                    "type": "BOOKMARK",
                    "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": str(sent)}},
                }

    def _find_resource(self, path: str) -> tuple[str, str | None]:
        match = _PATH.match(path)
        if match is None or match[1] != NAMESPACE:
            raise Refusal(404, "NotFound", f"there is nothing at {path}")
        return match[2], match[3]

    def _check_model(self, kind: str, body: Object) -> None:
        try:
            _MODELS[kind].model_validate(body)
        except ValueError as error:
            raise Refusal(422, "Invalid", " ".join(str(error).split())) from error

    def _create(self, kind: str, body: Object) -> Object:
        if kind == "pods":
            self.bodies.append(body)
            if self.refusals:
                raise self.refusals.pop(0)
        self._check_model(kind, body)
        name = body["metadata"]["name"]
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", name):
            raise Refusal(422, "Invalid", f"metadata.name: Invalid value: {name!r}")
        for key, value in (body["metadata"].get("labels") or {}).items():
            if not re.fullmatch(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", value):
                raise Refusal(422, "Invalid", f"metadata.labels: Invalid value: {key}={value!r}")
        if name in self._objects[kind]:
            raise Refusal(409, "AlreadyExists", f'{kind} "{name}" already exists')
        made: Object = json.loads(json.dumps(body))
        made["metadata"].update(namespace=NAMESPACE, uid=str(uuid.uuid4()), creationTimestamp=_now())
        if kind == "secrets":
            made["data"] = {
                key: base64.b64encode(value.encode()).decode() for key, value in made.pop("stringData", {}).items()
            }
            owners = {owner["uid"] for owner in made["metadata"].get("ownerReferences", ())}
            if owners and not owners & {pod["metadata"]["uid"] for pod in self._objects["pods"].values()}:
                self._touch()
                return made  # its owner is gone: the garbage collector deletes it at once
        self._objects[kind][name] = made
        if kind == "pods":
            made["status"] = {"phase": "Pending"}
            self._record("ADDED", made)
        else:
            self._touch()
        return made

    def _list(self, kind: str, query: Mapping[str, list[str]]) -> Object:
        selects = _read_selector(query)
        found = sorted(
            (one for one in self._objects[kind].values() if selects(one)), key=lambda one: one["metadata"]["name"]
        )
        start = int(query.get("continue", ["0"])[0])
        limit = int(query.get("limit", ["0"])[0]) or len(found) + 1
        metadata = {"resourceVersion": str(self._version)}
        if start + limit < len(found):
            metadata["continue"] = str(start + limit)
        return {
            "kind": "List",
            "apiVersion": "v1",
            "metadata": metadata,
            "items": json.loads(json.dumps(found[start : start + limit])),
        }

    def _copy(self, kind: str) -> list[Object]:
        with self._changed:
            found: list[Object] = json.loads(json.dumps(list(self._objects[kind].values())))
        return found

    def _touch(self) -> None:
        self._version += 1
        self._changed.notify_all()

    def _record(self, kind: str, pod: Object) -> None:
        self._version += 1
        pod["metadata"]["resourceVersion"] = str(self._version)
        self._changes.append((self._version, kind, json.loads(json.dumps(pod))))
        self._changed.notify_all()

    def _remove(self, pod: Object) -> None:
        if self._objects["pods"].get(pod["metadata"]["name"]) is not pod:
            return
        del self._objects["pods"][pod["metadata"]["name"]]
        self._record("DELETED", pod)
        for name, secret in list(self._objects["secrets"].items()):
            if pod["metadata"]["uid"] in {owner["uid"] for owner in secret["metadata"].get("ownerReferences", ())}:
                del self._objects["secrets"][name]

    # ---- the scheduler of the cluster and the kubelet ------------------------------------------------------------------------
    def _run_kubelet(self) -> None:
        while not self._is_closed:
            with self._changed:
                if not self.is_paused:
                    for pod in list(self._objects["pods"].values()):
                        self._advance(pod)
                self._changed.wait(0.02)

    def _advance(self, pod: Object) -> None:
        """One step of the life of a pod."""
        status, uid = pod["status"], pod["metadata"]["uid"]
        if status["phase"] == "Running":
            self._look_at_process(pod, self._processes.get(uid))
        if status["phase"] != "Pending" or pod["metadata"].get("deletionTimestamp"):
            return
        if not pod["spec"].get("nodeName"):
            self._place(pod)
            return
        image = pod["spec"]["containers"][0]["image"]
        if image.startswith(MISSING_IMAGE):
            self._wait(pod, "ErrImagePull", f'failed to pull image "{image}": not found')
            return
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
        wanted = {volume["secret"]["secretName"] for volume in volumes.values() if "secret" in volume}
        if not wanted <= self._objects["secrets"].keys():
            self._wait(pod, "ContainerCreating", "")
            return
        self._start(pod, volumes)

    def _place(self, pod: Object) -> None:
        if self.has_room:
            pod["spec"]["nodeName"] = "node-1"
            pod["status"]["conditions"] = [{"type": "PodScheduled", "status": "True"}]
            self._record("MODIFIED", pod)
        elif not pod["status"].get("conditions"):
            message = "0/1 nodes are available: 1 Insufficient memory."
            pod["status"]["conditions"] = [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
            ]
            self._record("MODIFIED", pod)

    def _wait(self, pod: Object, reason: str, message: str) -> None:
        statuses = [
            {"name": pod["spec"]["containers"][0]["name"], "state": {"waiting": {"reason": reason, "message": message}}}
        ]
        if pod["status"].get("containerStatuses") != statuses:
            pod["status"]["containerStatuses"] = statuses
            self._record("MODIFIED", pod)

    def _start(self, pod: Object, volumes: Mapping[str, Object]) -> None:
        container = pod["spec"]["containers"][0]
        folder = self.folder / pod["metadata"]["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        replaced = dict(self.services)
        for mount in container.get("volumeMounts") or ():
            volume, place = volumes[mount["name"]], folder / mount["name"]
            place.mkdir(exist_ok=True)
            replaced[mount["mountPath"]] = str(place)
            if "secret" in volume:
                for key, value in self._objects["secrets"][volume["secret"]["secretName"]]["data"].items():
                    (place / key).write_bytes(base64.b64decode(value))
            elif "hostPath" in volume:
                path = volume["hostPath"]["path"]
                replaced[mount["mountPath"]] = self.host_folders.get(path, path)

        def place_text(text: str) -> str:
            for before, after in replaced.items():
                text = text.replace(before, after)
            return text

        environ = {one["name"]: place_text(one.get("value", "")) for one in container.get("env") or ()}
        command = [place_text(word) for word in [*container.get("command", []), *container.get("args", [])]]
        with (folder / "log").open("wb") as log:
            self._processes[pod["metadata"]["uid"]] = _start(
                command, {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", **environ}, log, folder
            )
        pod["status"].update(
            phase="Running",
            containerStatuses=[{"name": container["name"], "state": {"running": {"startedAt": _now()}}}],
        )
        self._record("MODIFIED", pod)

    def _look_at_process(self, pod: Object, process: Process | None) -> None:
        code = None if process is None else process.poll()
        if code is None:
            return
        end = self._ends.pop(pod["metadata"]["uid"], {})
        terminated = {
            "exitCode": code if code >= 0 else 128 - code,
            "reason": "Completed" if code == 0 else "Error",
            **end.get("containers", {}),
        }
        pod["status"].update(phase="Succeeded" if code == 0 else "Failed", **end.get("status", {}))
        pod["status"]["containerStatuses"] = [
            {"name": pod["spec"]["containers"][0]["name"], "state": {"terminated": terminated}}
        ]
        self._record("MODIFIED", pod)

    def _end(self, name: str, end: Object) -> None:
        with self._changed:
            uid = self._objects["pods"][name]["metadata"]["uid"]
            self._ends[uid] = end
            self._kill(self._processes[uid])

    def _finish_deletion(self, uid: str, name: str, process: Process | None, grace_s: float) -> None:
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                self._kill(process)
        with self._changed:
            pod = self._objects["pods"].get(name)
            if pod is not None and pod["metadata"]["uid"] == uid:
                if pod["status"]["phase"] == "Running":
                    self._look_at_process(pod, process)
                self._remove(pod)
                self._processes.pop(uid, None)

    def _kill(self, process: Process | None) -> None:
        """End every process of a container, also those in sessions of their own."""
        if process is None:
            return
        for pid in [process.pid, *_find_descendants(process.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.wait()


def _start(command: list[str], environ: Mapping[str, str], log: IO[bytes], folder: Path) -> Process:
    if command[0] == "gnomon":
        return start_service(*command[1:], env=environ, stdout=log, stderr=log, cwd=folder)
    return subprocess.Popen(
        command, env=environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder, start_new_session=True
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, cluster: FakeCluster) -> None:
        self.cluster = cluster
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        try:
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                raise Refusal(401, "Unauthorized", "Unauthorized")
            if query.get("watch") == ["true"]:
                self._stream(self.server.cluster.watch(parts.path, query))
            else:
                self._send(
                    201 if method == "POST" else 200, self.server.cluster.answer(method, parts.path, query, body)
                )
        except Refusal as refusal:
            self._send(refusal.code, refusal.status)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send(self, code: int, answer: Object) -> None:
        text = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _stream(self, events: Iterator[Object]) -> None:
        """One chunk for each event; the headers are sent with the first, so that a refusal can be the answer."""
        is_begun = False
        for event in events:
            if not is_begun:
                self._begin_stream()
                is_begun = True
            line = json.dumps(event).encode() + b"\n"
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        if not is_begun:
            self._begin_stream()
        self.wfile.write(b"0\r\n\r\n")

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()


def _read_selector(query: Mapping[str, list[str]]) -> Any:
    text = query.get("labelSelector", [""])[0]
    match = _SELECTOR.match(text)
    if text and match is None:
        raise Refusal(400, "BadRequest", f"unable to parse requirement: {text}")
    if match is None:
        return lambda pod: True
    key, values = match[1], set(match[2].split(","))
    return lambda pod: (pod["metadata"].get("labels") or {}).get(key) in values


def _find_descendants(pid: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found, wanted = [], [pid]
    while wanted:
        parent = wanted.pop()
        below = [child for child, above in parents.items() if above == parent]
        found += below
        wanted += below
    return found


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@contextmanager
def fake_cluster() -> Iterator[FakeCluster]:
    """A cluster until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="k-", ignore_cleanup_errors=True) as folder:
        cluster = FakeCluster(Path(folder))
        try:
            yield cluster
        finally:
            cluster.close()
