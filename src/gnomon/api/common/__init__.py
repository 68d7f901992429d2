"""What all routers share: ids in paths, pages, orders, filters, cursors and the shape of errors; `trusted_proxies.py` finds the address of a client."""
