"""Words about DAG bundles."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "bundle_refuses_arguments": "DAG bundle {name!r}: {class_path} refuses its kwargs: {error}; correct them in [dag_processor] dag_bundle_config_list",
    "file_is_outside_bundle": "{file} is not below {folder}, where this machine has DAG bundle {name!r}; [dag_processor] dag_bundle_storage_path must be the same on all machines",
    "bundle_class_cannot_be_imported": "[dag_processor] dag_bundle_config_list names {class_path} as the class of DAG bundle {name!r}, and importing it raises {error}; install what it needs, or correct the path",
    "bundle_class_is_no_bundle": "[dag_processor] dag_bundle_config_list names {class_path} as the class of DAG bundle {name!r}, and that is no subclass of airflow.dag_processing.bundles.base.BaseDagBundle; correct the path",
    "bundle_has_no_repository": "DAG bundle {name!r} has neither repo_url nor git_conn_id in its kwargs; give it the address of the repository",
    "connection_of_bundle_has_no_host": "connection {conn_id!r} of DAG bundle {name!r} has no host; put the address of the repository there, or give the bundle repo_url",
    "connection_of_bundle_has_two_keys": "connection {conn_id!r} of DAG bundle {name!r} has private_key and key_file in its extra; keep one of them",
    "bundle_subdir_is_outside": "DAG bundle {name!r} has the subdir {folder!r}; it is a folder of the repository, without ..",
    "bundle_version_is_no_commit": "{version!r} is no version of DAG bundle {name!r}; its versions are ids of commits",
    "bundle_version_never_changes": "DAG bundle {name!r} has the version {version}, which never changes; refresh the bundle without a version",
    "bundle_is_too_large": "DAG bundle {name!r}: commit {commit}, with its submodules, has more than {number} files or {size} bytes, or too long paths; remove what DAG files do not need from the repository",
    "bundle_ref_does_not_exist": "DAG bundle {name!r} has the tracking_ref {ref!r}, and {url} has no such branch, tag or commit; give one that it has ({names})",
    "bundle_version_is_gone": "DAG bundle {name!r} has the version {commit} no more: {url} has no such commit, perhaps after a forced push; clear the run with --run-on-latest-version, so that it takes the newest version",
    "bundle_has_many_submodules": "DAG bundle {name!r} has more than {most} submodules in commit {commit}, with those inside of them; remove some",
    "submodule_is_behind_link": "DAG bundle {name!r} has a submodule at {place!r} of commit {commit}, and a link on the way there; remove it from the repository",
    "bundle_subdir_does_not_exist": "DAG bundle {name!r} has the subdir {folder!r}, and commit {commit} of {ref!r} has no such folder; correct it",
    "bundle_subdir_is_link": "DAG bundle {name!r} has the subdir {folder!r}, which is a link out of the repository in commit {commit}; replace it by a folder",
    "git_of_bundle_failed": "DAG bundle {name!r}: {reason}: {error}; {remedy}",
    "git_is_missing": "DAG bundle {name!r} needs the program git, which this machine does not have on its PATH; install git here",
    "git_did_not_end": "DAG bundle {name!r}: git did not end within {most} s; check whether this machine reaches the server",
    "submodules_are_too_deep": "DAG bundle {name!r} has submodules within submodules to a depth of more than {most} at {place!r}; remove some",
    "commit_has_many_submodules": "DAG bundle {name!r} has {number} submodules in commit {commit}, more than {most}; remove some",
    "submodule_leads_out": "DAG bundle {name!r} has a submodule at {place!r} of commit {commit}, which would lead out of its folder; remove it from the repository",
    "submodule_has_no_address": "DAG bundle {name!r} has a submodule at {place!r}, and .gitmodules of commit {commit} has no address for it; add its url there",
    "submodule_file_is_too_large": "DAG bundle {name!r} has a .gitmodules in commit {commit} that is no file of at most {number} bytes; shorten it",
}
