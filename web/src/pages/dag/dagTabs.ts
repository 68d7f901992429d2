/** The views of one DAG, in the order of their tabs. */

export const TABS: { label: string; to: string }[] = [{ label: /* text */ "Grid", to: "/dags/$dagId" }];
