/** What a change says, in words. */

import { t, tn } from "../../state/language";
import type { Change, ChangeKey } from "./scenarioChanges";

/** What the form offers: the kind of a change, and an example of its value. */
export const KINDS: Record<ChangeKey, { words: string; of: "task" | "dag" | "pool" | "none"; example: string }> = {
  set: { words: /* text */ "A task or DAG takes longer or less", of: "task", example: "+50%" },
  delay: { words: /* text */ "A task or file comes later", of: "task", example: "1h" },
  fail: { words: /* text */ "A task or DAG fails", of: "task", example: "" },
  freeze: { words: /* text */ "A DAG does not run", of: "dag", example: "" },
  schedule: { words: /* text */ "A DAG has another schedule", of: "dag", example: "0 3 * * *" },
  pool: { words: /* text */ "A pool has another size", of: "pool", example: "4" },
  parallelism: { words: /* text */ "So many tasks run at once in all", of: "none", example: "16" },
  length: { words: /* text */ "A task returns a list of another length", of: "task", example: "20" },
  assume: { words: /* text */ "Tasks without history take so long", of: "none", example: "10m" },
  expect: { words: /* text */ "Something must be so", of: "task", example: "ends before 07:00" },
};

const PERCENT = /^([+-])(\d+(?:\.\d+)?)\s*%$/;

export function describeChange({ key, name, value }: Change): string {
  switch (key) {
    case "set":
      return describeDuration(name, value);
    case "delay":
      return t("{name} ends {span} later", { name, span: value });
    case "fail":
      return t("{name} fails", { name });
    case "freeze":
      return t("DAG {dag} does not run", { dag: name });
    case "schedule":
      return t("DAG {dag} runs at {cron}", { dag: name, cron: value });
    case "pool":
      return value === "-1"
        ? t("pool {name} has no limit", { name })
        : tn("pool {name} has {count} slot", "pool {name} has {count} slots", Number(value), { name });
    case "parallelism":
      return tn("{count} task runs at once in all", "{count} tasks run at once in all", Number(value));
    case "length":
      return tn("{name} returns {count} element", "{name} returns {count} elements", Number(value), { name });
    case "assume":
      return t("tasks without history take {span}", { span: value });
    case "expect":
      return t("it must be so: {text}", { text: name });
  }
}

function describeDuration(name: string, value: string): string {
  const percent = PERCENT.exec(value);
  if (percent?.[1] === "+") return t("{name} takes {share} longer", { name, share: `${percent[2]}%` });
  if (percent) return t("{name} takes {share} less", { name, share: `${percent[2]}%` });
  const [least, most] = value.split("..");
  if (most !== undefined) return t("{name} takes {least} to {most}", { name, least: least ?? "", most });
  return t("{name} takes {span}", { name, span: value });
}
