/** The pages in the navigation, in groups. The label of each is a key of the strings. */

import type { Me } from "../api/administration";

export interface NavigationEntry {
  label: string;
  to: string;
  /** What it shows, for the command palette. */
  about: string;
  /** What others call it, for the command palette alone. */
  also?: string;
  /** What the account needs: the entry is not offered without it. */
  needs?: string;
  /** Shows the number of open questions beside it. */
  countsQuestions?: boolean;
  /** The part of its group. Entries of a part stand behind each other. */
  part?: string;
}

export interface NavigationGroup {
  label: string;
  entries: NavigationEntry[];
}

/** By address: the keys that lead there from every view. */
export const KEYS_OF_PAGES: Record<string, string> = { "/": "g h", "/dags": "g d", "/runs": "g r", "/tasks": "g t" };

export const FIRST: NavigationEntry[] = [
  {
    label: /* text */ "Home",
    to: "/",
    about: /* text */ "what failed, is late, waits and runs next",
    also: "dashboard import errors cluster activity",
  },
  { label: /* text */ "DAGs", to: "/dags", about: /* text */ "all DAGs with schedule and state" },
];

export const GROUPS: NavigationGroup[] = [
  {
    label: /* text */ "Schedules",
    entries: [
      {
        label: /* text */ "Dependencies of a day",
        to: "/dependencies",
        about: /* text */ "which runs of a day wait for which runs of other DAGs",
      },
      {
        label: /* text */ "Graph of DAGs and assets",
        to: "/dependencies/graph",
        about: /* text */ "what depends on, triggers and writes what",
      },
      {
        label: /* text */ "Assets",
        to: "/assets",
        about: /* text */ "events of assets, who adds them and who waits for them",
        also: "datasets",
      },
      { label: /* text */ "Backfills", to: "/backfills", about: /* text */ "runs of the past, with their progress" },
      {
        label: /* text */ "Baselines",
        to: "/baselines",
        about: /* text */ "whether promised ends will be kept, and which task decides",
        also: "sla slo deadlines key path critical path",
      },
      {
        label: /* text */ "Forecast",
        to: "/forecast",
        about: /* text */ "when the coming runs of all DAGs will begin and end",
        also: "prediction eta gantt",
      },
      {
        label: /* text */ "What if",
        to: "/what-if",
        about: /* text */ "the coming days with changes, beside how they would be",
        also: "simulation scenario capacity planning",
        needs: "create simulation",
      },
      {
        label: /* text */ "Timetable lab",
        to: "/timetables",
        about: /* text */ "see the year of a schedule, and compare it with another",
      },
    ],
  },
  {
    label: /* text */ "Work",
    entries: [
      {
        label: /* text */ "Runs",
        to: "/runs",
        about: /* text */ "runs of all DAGs, filtered",
        also: "browse dag runs",
      },
      {
        label: /* text */ "Task instances",
        to: "/tasks",
        about: /* text */ "task instances of all runs, filtered",
        also: "browse xcoms logs",
      },
      {
        label: /* text */ "Questions to people",
        to: "/inbox",
        about: /* text */ "tasks that wait for an answer",
        also: "required actions human in the loop hitl approval inbox",
        needs: "read question",
        countsQuestions: true,
      },
      {
        label: /* text */ "Pools and limits",
        to: "/pools",
        about: /* text */ "who holds slots and who waits",
        also: "admin",
        needs: "read pool",
      },
      {
        label: /* text */ "Triggers",
        to: "/triggers",
        about: /* text */ "what deferred tasks wait for",
        needs: "read task instance",
      },
    ],
  },
  {
    label: /* text */ "Administration",
    entries: [
      {
        label: /* text */ "Connections",
        to: "/connections",
        about: /* text */ "addresses and logins of other systems",
        also: "admin hooks",
        needs: "read connection",
        part: /* text */ "What DAGs use",
      },
      {
        label: /* text */ "Variables",
        to: "/variables",
        about: /* text */ "values that DAGs read",
        also: "admin",
        needs: "read variable",
        part: /* text */ "What DAGs use",
      },
      {
        label: /* text */ "Services and problems",
        to: "/services",
        about: /* text */ "health of each service",
        also: "jobs monitor status",
        needs: "read job",
        part: /* text */ "Installation",
      },
      {
        label: /* text */ "Options",
        to: "/options",
        about: /* text */ "configuration, and where it is set",
        also: "admin settings",
        needs: "read configuration",
        part: /* text */ "Installation",
      },
      {
        label: /* text */ "Plugins",
        to: "/plugins",
        about: /* text */ "code that extends this installation",
        needs: "read plugin",
        part: /* text */ "Installation",
      },
      {
        label: /* text */ "Providers",
        to: "/providers",
        about: /* text */ "installed provider packages",
        needs: "read provider",
        part: /* text */ "Installation",
      },
      {
        label: /* text */ "Users",
        to: "/users",
        about: /* text */ "accounts, roles and grants",
        also: "security permissions",
        needs: "read account",
        part: /* text */ "Accounts",
      },
      {
        label: /* text */ "API tokens",
        to: "/tokens",
        about: /* text */ "tokens of all accounts",
        also: "security access keys",
        needs: "read account",
        part: /* text */ "Accounts",
      },
      {
        label: /* text */ "Audit log",
        to: "/audit",
        about: /* text */ "who changed what",
        also: "browse event log history",
        needs: "read audit log",
        part: /* text */ "Accounts",
      },
    ],
  },
];

/** In the menu of the account, and in the command palette. */
export const OWN: NavigationEntry = {
  label: /* text */ "My account",
  to: "/account",
  about: /* text */ "password, tokens and sessions",
};

/** Whether the entry is offered: what an account may not read is not; until the account is known, only what needs nothing. */
export function isOffered(entry: NavigationEntry, me: Me | undefined): boolean {
  return entry.needs === undefined || (me?.may.includes(entry.needs) ?? false);
}
