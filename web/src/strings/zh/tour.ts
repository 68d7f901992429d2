/** Texts of the tour. */

export const TOUR: Record<string, string> = {
  "Show the tour": "查看导览",
  Tour: "导览",
  "New here?": "第一次使用？",
  "A tour of six steps shows where everything is.": "六步导览，带您了解各项功能的位置。",
  "Not now": "以后再说",
  "{step} of {count}": "第 {step} 步，共 {count} 步",
  "Leave the tour": "退出导览",
  Back: "上一步",
  Done: "完成",
  "Home says whether anything is wrong": "首页告诉您是否有问题",
  "What failed and why, what waits for you, what is late, what runs now and what comes next.":
    "哪些失败及其原因、哪些等待您处理、哪些延迟、哪些正在运行，以及接下来运行什么。",
  "All DAGs, with their runs": "所有 DAG 及其运行",
  "A DAG opens with the grid of its runs and tasks. Its graph, calendar, code and backfills stand beside it.":
    "打开 DAG 即可看到运行与任务的网格，旁边是图、日历、代码和补数据。",
  "How the schedules hang together": "调度之间的关系",
  "Which runs of a day wait for which others, what assets trigger, and a lab that shows the year of a schedule.":
    "一天中哪些运行等待哪些运行、资产触发什么，以及查看全年调度的时间表实验室。",
  "What is under way": "正在进行的工作",
  "Runs and task instances of all DAGs with filters, questions to people, and who holds the slots of a pool.":
    "可筛选的所有 DAG 的运行和任务实例、待人工回答的问题，以及池槽位的占用者。",
  "Everything by its name": "按名称查找一切",
  "Ctrl K finds DAGs, tasks, runs and pages, and does acts. The key ? lists all keys.":
    "Ctrl K 可查找 DAG、任务、运行和页面，并执行操作。按 ? 列出所有快捷键。",
  "As you like to see it": "按您的习惯显示",
  "Time zone, theme, density and language. The tour can be shown again from the menu of your account.":
    "时区、主题、密度和语言。可从账号菜单再次查看导览。",
};
