"""Admission: ready task instances get an attempt while a worker, their pool and every concurrency limit have room.

Open `admission_pass.py` first; `capacity.py` acquires and releases what a live attempt counts for.
"""
