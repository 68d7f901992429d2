"""What author code uses while it runs: connections, Variables, notifiers, and the hooks of installed provider packages. `channel` is the way to the
process that answers requests: open it first.
"""
