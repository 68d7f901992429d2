/** A field for the name of a DAG, a task or a pool, which offers those that begin like what is typed. */

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { poolsQuery } from "../../api/administration";
import { dagSuggestionsQuery } from "../../api/queries";
import { taskNamesQuery } from "../../api/simulations";
import { useMay } from "../../state/account";
import { t } from "../../state/language";

interface Props {
  of: "task" | "dag" | "pool";
  value: string;
  onChange: (name: string) => void;
}

const LABELS = {
  task: /* text */ "DAG or DAG.TASK",
  dag: /* text */ "DAG",
  pool: /* text */ "Pool",
};

export function NameField({ of, value, onChange }: Props) {
  const list = useId();
  const names = useNames(of, value);
  return (
    <label>
      {t(LABELS[of])}{" "}
      <input
        value={value}
        list={list}
        required
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        placeholder={of === "task" ? "orders.load" : of === "dag" ? "orders" : "etl"}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

function useNames(of: Props["of"], typed: string): string[] {
  const mayReadPools = useMay("read pool");
  const found = useQuery({
    ...dagSuggestionsQuery(typed.split(".")[0] || undefined),
    enabled: of !== "pool" && typed !== "",
  });
  const dags = (found.data?.dags ?? []).map(({ dag_id }) => dag_id);
  const dagId = dags
    .filter((id) => typed === id || typed.startsWith(`${id}.`))
    .reduce<string | undefined>((longest, id) => (id.length > (longest?.length ?? 0) ? id : longest), undefined);
  const tasks = useQuery({ ...taskNamesQuery(dagId ?? ""), enabled: of === "task" && dagId !== undefined });
  const pools = useQuery({
    ...poolsQuery({ search: undefined, page: undefined, pool: undefined }),
    enabled: of === "pool" && mayReadPools,
  });
  if (of === "pool") return (pools.data?.pools ?? []).map(({ name }) => name);
  if (of === "dag" || dagId === undefined) return dags;
  return [...(tasks.data ?? []).map((task) => `${dagId}.${task}`), ...dags];
}
