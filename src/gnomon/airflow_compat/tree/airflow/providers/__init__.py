"""`airflow.providers`: Gnomon's standard provider, and the installed provider packages, wherever they are on sys.path."""

import os as _os
import sys as _sys

__path__ += [
    _folder
    for _folder in (_os.path.join(_entry or _os.curdir, "airflow", "providers") for _entry in _sys.path)
    if _os.path.isdir(_folder) and _os.path.realpath(_folder) not in map(_os.path.realpath, __path__)
]
