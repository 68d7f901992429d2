"""What tasks keep between their tries, and what tasks and watchers keep of an asset: `task_state_store.py` and `asset_state_store.py`.

Values are JSON text. The rules for keys and sizes are those of the task API (`gnomon.model.state_values`).
"""
