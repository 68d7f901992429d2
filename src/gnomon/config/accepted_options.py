"""Options of Airflow that Gnomon does not use. They are declared so that files and environments that set them are not
refused, and author code that reads them (`conf.get`) gets Airflow's default.
"""

from __future__ import annotations

from gnomon.config.option import ConfigOption, OptionKind

_DEFAULTS: dict[str, dict[str, str]] = {
    "core": {
        "task_success_overtime": "20", "max_map_length": "1024", "min_serialized_dag_update_interval": "30",
        "num_dag_runs_to_retain_rendered_fields": "30", "multi_team": "False", "rerun_with_latest_version": "",
        "allowed_deserialization_classes": "airflow.*", "execution_api_server_url": "", "xcom_backend": "",
        "hostname_callable": "", "lazy_load_plugins": "True", "test_connection": "Disabled", "simple_auth_manager_users": "",
        "auth_manager": "", "security": "", "unit_test_mode": "False", "compress_serialized_dags": "False",
    },
    "database": {
        "sql_alchemy_pool_enabled": "True", "sql_alchemy_pool_size": "5", "sql_alchemy_max_overflow": "10",
        "sql_alchemy_pool_recycle": "1800", "sql_alchemy_schema": "", "load_default_connections": "True", "max_db_retries": "3",
    },
    "scheduler": {
        "job_heartbeat_sec": "5", "scheduler_heartbeat_sec": "5", "task_instance_heartbeat_sec": "0", "num_runs": "-1",
        "only_idle": "False", "scheduler_idle_sleep_time": "1", "parsing_cleanup_interval": "60",
        "pool_metrics_interval": "5.0", "ti_metrics_interval": "30.0", "dagrun_metrics_interval": "30.0",
        "enable_health_check": "False", "scheduler_health_check_server_host": "0.0.0.0",
        "scheduler_health_check_server_port": "8974", "orphaned_tasks_check_interval": "300.0",
        "task_instance_heartbeat_timeout_detection_interval": "10.0", "use_row_level_locking": "True",
        "partition_mapper_max_downstream_keys": "1000", "trigger_timeout_check_interval": "15",
        "task_queued_timeout_check_interval": "120.0", "enable_tracemalloc": "False", "processor_poll_interval": "1",
        "schedule_after_task_execution": "True", "child_process_log_directory": "",
    },
    "dag_processor": {
        "dag_bundle_storage_path": "", "dag_bundle_config_list": "", "max_callbacks_per_loop": "20",
        "stale_dag_threshold": "50", "print_stats_interval": "30", "disable_bundle_versioning": "False",
        "bundle_refresh_check_interval": "5", "stale_bundle_cleanup_interval": "1800",
        "stale_bundle_cleanup_age_threshold": "21600", "stale_bundle_cleanup_min_versions": "10",
        "parsing_pre_import_modules": "True", "dag_version_inflation_check_level": "warning",
    },
    "triggerer": {
        "triggerer_health_check_threshold": "30", "max_trigger_to_select_per_loop": "50",
        "shared_stream_subscriber_queue_size": "1024", "shared_stream_ack_timeout": "300.0",
        "shared_stream_cohort_grace_period": "0.0",
    },
    "workers": {
        "secrets_backend": "", "secrets_backend_kwargs": "", "state_store_backend": "", "min_heartbeat_interval": "5",
        "max_failed_heartbeats": "3", "execution_api_retries": "5", "execution_api_retry_wait_min": "1.0",
        "execution_api_retry_wait_max": "90.0", "execution_api_timeout": "5.0", "socket_cleanup_timeout": "60.0",
        "missing_dag_retries": "3", "missing_dag_retry_delay": "60",
    },
    "operators": {"default_cpus": "1", "default_ram": "512", "default_disk": "512", "default_gpus": "0"},
    "callbacks": {"callback_execution_timeout": "0"},
    "state_store": {
        "backend": "", "clear_on_success": "False", "default_retention_days": "30", "state_cleanup_batch_size": "0",
        "max_value_storage_bytes": "65535",
    },
    "execution_api": {
        "jwt_expiration_time": "600", "otel_trace_propagation": "only-authenticated", "jwt_audience": "urn:airflow.apache.org:task",
    },
    "api": {"base_url": "", "workers": "1", "expose_config": "False", "secret_key": ""},
    "api_auth": {
        "jwt_audience": "", "jwt_expiration_time": "86400", "jwt_cli_expiration_time": "3600", "jwt_secret": "",
        "jwt_private_key_path": "", "jwt_algorithm": "", "jwt_kid": "", "trusted_jwks_url": "", "jwt_issuer": "",
        "jwt_leeway": "10",
    },
    "logging": {"remote_logging": "False", "remote_log_conn_id": "", "remote_base_log_folder": "", "log_format": "",
                "colored_console_log": "True", "task_log_prefix_template": "", "fab_logging_level": "WARNING"},
    "webserver": {"base_url": "", "expose_config": "False", "secret_key": "", "rbac": "True", "default_ui_timezone": "UTC"},
    "email": {"email_backend": "", "email_conn_id": "smtp_default", "default_email_on_retry": "True",
              "default_email_on_failure": "True", "subject_template": "", "html_content_template": "", "from_email": ""},
    "smtp": {"smtp_host": "localhost", "smtp_starttls": "True", "smtp_ssl": "False", "smtp_port": "25",
             "smtp_mail_from": "airflow@example.com", "smtp_timeout": "30", "smtp_retry_limit": "5",
             "smtp_user": "", "smtp_password": ""},
    "secrets": {"backend": "", "backend_kwargs": "", "use_cache": "False", "cache_ttl_seconds": "900"},
    "lineage": {"backend": ""},
}  # fmt: skip
_SECRETS = frozenset({"secret_key", "jwt_secret", "smtp_password", "backend_kwargs", "secrets_backend_kwargs"})
NO_EFFECT = "Accepted for compatibility; it has no effect."

ACCEPTED_OPTIONS: tuple[ConfigOption, ...] = tuple(
    ConfigOption(section, name, default, OptionKind.TEXT, NO_EFFECT, may_be_empty=True, is_secret=name in _SECRETS, is_used=False)
    for section, names in _DEFAULTS.items()
    for name, default in names.items()
)
