/** Names of states and of types of runs, and texts of places that have nothing or too much. */

export const STATES: Record<string, string> = {
  "An administrator gives roles: on the page Users, or with {command}.":
    "角色由管理员授予：在“用户”页面，或使用 {command}。",
  "The runs of {dag}": "{dag} 的运行",
  "The tasks of the run": "此运行的任务",
  "All DAGs": "所有 DAG",
  "No page": "没有页面",
  "The server answered with status {status}.": "服务器返回了状态 {status}。",
  "The server does not answer. Check the connection and that `gnomon standalone` or the api-server runs.":
    "服务器没有响应。请检查连接，以及 `gnomon standalone` 或 api-server 是否在运行。",
  "The session has ended.": "会话已结束。",
  "asset materialization": "资产物化",
  "asset triggered": "资产触发",
  "awaiting input": "等待输入",
  backfill: "补数据",
  manual: "手动",
  "operator triggered": "算子触发",
  restarting: "正在重启",
  scheduled: "待调度",
  "scheduled|run": "定时",
  skipped: "已跳过",
  "up for reschedule": "等待再次检查",
  "up for retry": "等待重试",
  "upstream failed": "上游失败",
};
