"""Reads the file of a DAG on the machine of the api-server. Its author may have put a link, a pipe or a giant in its place since it was parsed."""

from __future__ import annotations

import errno
import os

from gnomon.author_code.loading.archives import locate_source, read_source
from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.dag_bundles import bundle_folder, read_dag_bundles

SOURCE_BYTES_MAX = 4_194_304
"""A larger file is not shown."""


def read_dag_file(cfg: Config, path: str) -> bytes:
    """The content of the file as it is now. Raises OSError, also for a path that leads out of its DAG bundle, and beyond SOURCE_BYTES_MAX."""
    file = locate_source(path).file
    roots = [root for root in _list_roots(cfg) if _is_below(path, root)]
    real = os.path.realpath(file)
    if not any(_is_below(real, os.path.realpath(root)) for root in roots) if roots else os.path.islink(file):
        raise OSError(errno.ELOOP, "it is a link out of the folder of its DAG bundle", path)
    member = os.path.relpath(path, file)
    return read_source(real if member == os.curdir else os.path.join(real, member), SOURCE_BYTES_MAX)


def _list_roots(cfg: Config) -> list[str]:
    """The folders below which DAG files are."""
    try:
        bundles = read_dag_bundles(cfg)
    except OptionError:
        bundles = ()  # the dag-processor says so
    folders = [bundle.local_folder or str(bundle_folder(cfg, bundle.name)) for bundle in bundles]
    return [os.path.abspath(cfg.dags_folder), *folders]


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))
