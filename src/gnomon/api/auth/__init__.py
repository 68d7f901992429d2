"""`/auth`: tokens for programs and sessions for browsers. Open `login_routes.py` first."""
