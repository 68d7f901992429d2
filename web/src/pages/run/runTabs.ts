/** The views of one run, in the order of their tabs. */

export const RUN_TABS = [
  { label: /* text */ "Tasks", to: "/dags/$dagId/runs/$runId" },
  { label: /* text */ "Gantt", to: "/dags/$dagId/runs/$runId/gantt" },
] as const;
