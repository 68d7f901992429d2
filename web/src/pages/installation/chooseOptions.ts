/** Which options a view of the options shows. */

import type { Option } from "../../api/administration";

export interface OptionFilters {
  search?: string;
  section?: string;
  /** set: those whose value is not the default one; idle: of these, those that do nothing. */
  only?: "set" | "idle";
}

export function chooseOptions(options: readonly Option[], { search, section, only }: OptionFilters): Option[] {
  const wanted = (search ?? "").toLowerCase();
  return options.filter((one) => {
    if (section && one.section !== section) return false;
    if (only && one.source === "default") return false;
    if (only === "idle" && one.acts) return false;
    return `[${one.section}] ${one.name} ${one.value} ${one.description}`.toLowerCase().includes(wanted);
  });
}

/** The options of each section, in the order in which they come. */
export function groupBySection(options: readonly Option[]): [section: string, options: Option[]][] {
  const groups = new Map<string, Option[]>();
  for (const one of options) groups.set(one.section, [...(groups.get(one.section) ?? []), one]);
  return [...groups];
}
