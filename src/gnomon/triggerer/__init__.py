"""Triggers: author code that waits, thousands of them in one small process.

    triggerer (the keeper: store, beat, claims, events; no author code)
      └─ host (author code, one asyncio loop; no store, no address of a database)

The keeper claims rows of `trigger` in batches, has its host run them, and stores each first event as a letter to the owner
before it counts. A host that dies, or that a trigger blocks for too long, is replaced and its triggers begin anew from
their arguments. A keeper that dies is silent; others fence it and take its rows over.
"""
