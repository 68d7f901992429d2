"""Words about executors: their settings, packages and pods."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "process_is_in_no_pod": "this process runs in no pod with a service account",
    "kubeconfig_cannot_be_used": "the kubeconfig {file} cannot be used",
    "execution_address_is_empty": "[core] execution_api_server_url is empty: pods reach the api-server at this address; set it, for example to http://gnomon-api-server:8080/execution",
    "image_lacks_repository_or_tag": "[kubernetes_executor] worker_container_repository and worker_container_tag name an image together: set both or neither",
    "pods_have_no_image": "pods have no image: set [kubernetes_executor] worker_container_repository and worker_container_tag, or image of the first container of pod_template_file",
    "delete_options_are_no_json": "[kubernetes_executor] delete_option_kwargs is no JSON: {error}; write it like {example}",
    "delete_options_are_unknown": "[kubernetes_executor] delete_option_kwargs must be a JSON object with the keys {names}, like {example}",
    "package_of_executor_is_missing": "[core] executor = {executor} needs the package {package}, which cannot be imported ({error}); install it with: pip install 'gnomon[{package}]'",
    "cluster_cannot_be_used": "{why}: {error}; set [kubernetes_executor] in_cluster, config_file and cluster_context for the cluster of the pods",
    "ca_file_cannot_be_read": "[kubernetes_executor] ssl_ca_cert: the file {file} cannot be read; name a file of certificates that the user of the scheduler may read",
    "pod_template_cannot_be_read": "the pod template {file} cannot be read: {error}; correct [kubernetes_executor] pod_template_file",
    "pod_template_is_no_yaml": "the pod template {file} is no YAML: {error}; correct it as a manifest",
    "pod_template_is_no_pod": "the pod template {file} must hold one object of kind Pod with a spec; correct it as a manifest",
    "pod_template_has_no_container": "the pod template {file} has no container; the first one, named {name}, runs the task",
    "pod_template_lacks_objects": "the pod template {file} must have objects as metadata and as elements of spec.containers; correct it as a manifest",
    "execution_address_is_wrong": "[core] execution_api_server_url is no address of http or https: {url!r}; example: http://gnomon.example.com:8080/execution",
    "token_cannot_be_read": "the token of the attempt cannot be read from {file}: {error}; the executor mounts it there",
    "token_file_is_empty": "the file {file} is empty; it must hold the token of the attempt",
    "pod_cannot_be_built": "the pod of task {task_id} cannot be built from its template and pod_override: {error}; write both as manifests",
    "pod_has_no_image": "the pod of task {task_id} has no image: set [kubernetes_executor] worker_container_repository, or image in the pod template",
    "pod_override_is_no_pod": "pod_override in executor_config of task {task_id} must be a V1Pod, or a dict as in a manifest with the keys metadata and spec",
    "pod_override_has_no_containers": "pod_override in executor_config of task {task_id}: spec.containers must be a list of containers",
}
