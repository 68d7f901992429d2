/** The rules that choose upstream slots, in words: a name, and what it chooses. */

import { t } from "../../state/language";

const RULES: Record<string, [string, string]> = {
  whole_day: [/* text */ "whole day", /* text */ "all slots of the day"],
  one_to_one: [
    /* text */ "rule one",
    /* text */ "both DAGs have the same number of slots that day: the k-th waits for the k-th",
  ],
  backward: [/* text */ "rule two, backward", /* text */ "all slots since the previous run"],
  carried: [
    /* text */ "rule two, carried",
    /* text */ "no slot since the previous run: the slots that the last run with new slots waited for",
  ],
  nearest: [/* text */ "rule two, nearest", /* text */ "no slot since the previous run: the last slot that day"],
  forward: [/* text */ "rule two, forward", /* text */ "no earlier slot that day: the next slot"],
  same_hour: [/* text */ "same hour", /* text */ "all slots of the run's hour"],
  span: [/* text */ "span", /* text */ "all slots of the time span that ends with the run"],
  previous: [/* text */ "previous", /* text */ "an earlier period"],
  logical_date: [/* text */ "logical date", /* text */ "the slot with the logical date that the sensor looks for"],
  no_such_date: [
    /* text */ "no such slot",
    /* text */ "no slot has the logical date that the sensor looks for: it waits until its timeout",
  ],
  none: [/* text */ "none", /* text */ "no such slot: the run does not wait"],
};

/** The name of a rule; a rule of a newer server is shown as it is called. */
export function nameRule(rule: string): string {
  const words = RULES[rule];
  return words ? t(words[0]) : rule;
}

export function explainRule(rule: string): string {
  const words = RULES[rule];
  return words ? t(words[1]) : rule;
}
