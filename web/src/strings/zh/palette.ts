/** Texts of the command palette. */

export const PALETTE: Record<string, string> = {
  Act: "操作",
  "Backfill {dag} …": "为 {dag} 补数据…",
  "Clear the failed run of {dag} …": "清除 {dag} 的失败运行…",
  "Command palette": "命令面板",
  "DAG, run, task, page, or: pause, unpause, run, clear and a DAG":
    "DAG、运行、任务、页面，或 pause、unpause、run、clear 加 DAG",
  Find: "查找",
  "Find a DAG, run, task, page or act": "查找 DAG、运行、任务、页面或操作",
  Found: "查找结果",
  Baseline: "基线",
  "Looked at last": "最近查看",
  "Nothing fits.": "没有匹配项。",
  Page: "页面",
  "Pause {dag}": "暂停 {dag}",
  Run: "运行",
  "Run {dag} …": "运行 {dag}…",
  Task: "任务",
  "Unpause {dag}": "取消暂停 {dag}",
  "{dag} has no failed run.": "{dag} 没有失败的运行。",
  "{dag} is active.": "{dag} 已启用。",
  "{dag} is paused.": "{dag} 已暂停。",
  "{name} is now {value}.": "{name}现在是 {value}。",
};
