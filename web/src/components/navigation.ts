/** The pages in the navigation, in groups. The label of each is a key of the strings. */

export interface NavigationEntry {
  label: string;
  to: string;
  /** What it shows, for the command palette. */
  about: string;
}

export interface NavigationGroup {
  label: string;
  entries: NavigationEntry[];
}

export const FIRST: NavigationEntry[] = [
  { label: /* text */ "Home", to: "/", about: /* text */ "what failed, is late, waits and runs next" },
  { label: /* text */ "DAGs", to: "/dags", about: /* text */ "all DAGs with schedule and state" },
];

export const GROUPS: NavigationGroup[] = [
  { label: /* text */ "Schedules", entries: [] },
  { label: /* text */ "Work", entries: [] },
  { label: /* text */ "Administration", entries: [{ label: /* text */ "Services and problems", to: "/services", about: /* text */ "health of each service" }] },
];
