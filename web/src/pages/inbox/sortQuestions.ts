/** Which questions an account is asked by name, which are open to everybody, and which are for others; the order of each stays. */

import type { Question } from "../../api/administration";

export interface SortedQuestions {
  mine: Question[];
  open: Question[];
  others: Question[];
}

export function sortQuestions(questions: readonly Question[], account: string): SortedQuestions {
  const sorted: SortedQuestions = { mine: [], open: [], others: [] };
  for (const one of questions) {
    const asked = one.assigned_users ?? [];
    const place =
      asked.length === 0
        ? "open"
        : asked.some((user) => user.id === account || user.name === account)
          ? "mine"
          : "others";
    sorted[place].push(one);
  }
  return sorted;
}

/** Questions in groups whose members one answer fits: they differ in their run and map index alone, and choose one option. */
export function groupEqual(questions: readonly Question[]): Question[][] {
  const groups = new Map<string, Question[]>();
  for (const one of questions) {
    const { id, dag_id, task_id } = one.task_instance;
    const isShort = !one.multiple && Object.keys(one.params ?? {}).length === 0;
    const key = isShort ? JSON.stringify([dag_id, task_id, one.subject, one.body, one.options]) : id;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}
