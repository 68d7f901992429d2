"""Admission: ready task instances get an attempt while a worker, their pool and every concurrency limit have room.

`admission_pass.py` is the whole of it; what a live attempt counts for is in `lifecycle/capacity.py`.
"""
