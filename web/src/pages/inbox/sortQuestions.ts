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
