/** Pools, the limits of DAGs and tasks, and workers: who holds and who waits. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  PAGE,
  type Pool,
  type PoolFilters,
  type PoolList,
  type PoolUse,
  poolsQuery,
  poolUseQuery,
} from "../../api/administration";
import { Act } from "../../components/Act";
import { Answer, Refusal } from "../../components/Answer";
import { PageSteps } from "../../components/PageSteps";
import { StackTable } from "../../components/StackTable";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { PlusIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import { Limits } from "./Limits";
import { PoolForm } from "./PoolForm";
import { PoolRow, PoolSheet } from "./PoolRow";
import styles from "./pools.module.css";

const route = getRouteApi("/pools");

export function PoolsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Pool | "new">();
  const [wanted, setWanted] = useState<string>();
  const use = useQuery(poolUseQuery());
  const list = useQuery(poolsQuery(filters));
  const missing = list.data && use.data ? findMissing(list.data, use.data.pools, filters) : [];
  const byName = new Map(use.data?.pools.map((one) => [one.pool, one]));
  const open = (name: string | undefined) =>
    void navigate({ to: "/pools", search: { ...filters, open: name }, resetScroll: false });
  const create = (name?: string) => {
    setWanted(name);
    setEdited("new");
  };
  return (
    <>
      <PageHeader
        title={t("Pools and limits")}
        facts={use.data && <WaitedFor pools={use.data.pools} filters={filters} />}
        acts={
          <Act needs="create pool">
            <Button look="primary" icon={PlusIcon} onClick={() => create()}>
              {t("New pool")}
            </Button>
          </Act>
        }
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/pools", search: { search }, replace: true })}
        />
        {filters.pool !== undefined && (
          <>
            <span>{t("Only pool {name} is shown.", { name: filters.pool })}</span>
            <Link to="/pools" search={{}}>
              {t("All pools")}
            </Link>
          </>
        )}
      </Toolbar>
      {edited && (
        <Act needs={edited === "new" ? "create pool" : "edit pool"}>
          <PoolForm pool={edited === "new" ? undefined : edited} name={wanted} done={() => setEdited(undefined)} />
        </Act>
      )}
      <Answer query={list} what={t("the pools")}>
        {(answer) => (
          <>
            {answer.pools.length + missing.length > 0 ? (
              <StackTable
                label={t("Pools")}
                headings={[t("Pool"), t("Load"), t("Hold slots"), t("Wait"), t("Description"), t("Actions")]}
                className={styles.table}
              >
                {missing.map((one) => (
                  <tr key={one.pool} id={`pool-${one.pool}`} aria-label={t("Pool {name}", { name: one.pool })}>
                    <td>
                      <b className="name">{one.pool}</b>
                    </td>
                    <td>
                      <Pill tone="bad">{t("does not exist")}</Pill>
                    </td>
                    <td>–</td>
                    <td>{formatCount(one.waiting)}</td>
                    <td>{t("Tasks name this pool, and it does not exist: they wait until it is created.")}</td>
                    <td>
                      <Act needs="create pool">
                        <Button isSmall onClick={() => create(one.pool)}>
                          {t("Create it …")}
                        </Button>
                      </Act>
                    </td>
                  </tr>
                ))}
                {answer.pools.map((pool) => (
                  <PoolRow
                    key={pool.name}
                    pool={pool}
                    use={byName.get(pool.name)}
                    isChosen={filters.open === pool.name}
                    edit={() => setEdited(pool)}
                    open={() => open(pool.name)}
                  />
                ))}
              </StackTable>
            ) : (
              <EmptyState title={t("No pool has this in its name.")} />
            )}
            <PageSteps
              page={filters.page ?? 1}
              size={PAGE}
              total={answer.total_entries}
              go={(page) => void navigate({ to: "/pools", search: { ...filters, page } })}
            />
          </>
        )}
      </Answer>
      {filters.open !== undefined && (
        <PoolSheet name={filters.open} use={byName.get(filters.open)} close={() => open(undefined)} />
      )}
      {use.isError && <Refusal error={use.error} />}
      <Limits />
    </>
  );
}

/** The pools that tasks name and that do not exist. They are known only where no pool can be on another page of the list. */
function findMissing(listed: PoolList, used: readonly PoolUse[], filters: PoolFilters): PoolUse[] {
  if (filters.search !== undefined || listed.pools.length !== listed.total_entries) return [];
  return used.filter(
    (one) =>
      (filters.pool === undefined || one.pool === filters.pool) && !listed.pools.some((pool) => pool.name === one.pool),
  );
}

/** The pools for which tasks wait, as links: they may stand far below, or on another page of the list. */
function WaitedFor({ pools, filters }: { pools: readonly PoolUse[]; filters: PoolFilters }) {
  const waited = pools.filter((one) => one.waiting > 0);
  if (waited.length === 0) return <span>{t("No task waits for a pool.")}</span>;
  return (
    <span>
      {tn("{count} pool is waited for:", "{count} pools are waited for:", waited.length)}{" "}
      {waited.map((one, at) => (
        <span key={one.pool}>
          {at > 0 && ", "}
          <Link to="/pools" search={{ ...filters, pool: one.pool, search: undefined }} className="name">
            {one.pool}
          </Link>{" "}
          ({formatCount(one.waiting)})
        </span>
      ))}
    </span>
  );
}
