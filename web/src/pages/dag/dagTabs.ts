/** The views of one DAG, in the order of their tabs. */

export const TABS: { label: string; to: string }[] = [
  { label: /* text */ "Grid", to: "/dags/$dagId" },
  { label: /* text */ "Graph", to: "/dags/$dagId/graph" },
  { label: /* text */ "Calendar", to: "/dags/$dagId/calendar" },
  { label: /* text */ "Code", to: "/dags/$dagId/code" },
  { label: /* text */ "Details", to: "/dags/$dagId/details" },
  { label: /* text */ "Audit log", to: "/dags/$dagId/audit" },
  { label: /* text */ "Backfills", to: "/dags/$dagId/backfill" },
];
