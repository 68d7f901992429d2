/** Pools, the limits of DAGs and tasks, and workers: who holds and who waits. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  type LimitUse,
  limitsQuery,
  PAGE,
  type PoolFilters,
  type PoolList,
  type Pool,
  type PoolUse,
  poolsQuery,
  poolUseQuery,
} from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Answer, Refusal } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { DagLink, PlaceLinks, RunLink } from "../../components/Names";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { type Done, UndoLine } from "../../components/UndoLine";
import { Value } from "../../components/Value";
import { useMay } from "../../state/account";
import { t, tn } from "../../state/language";
import { PoolForm } from "./PoolForm";
import styles from "./pools.module.css";

const DEFAULT_POOL = "default_pool";
const route = getRouteApi("/pools");

export function PoolsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Pool | "new">();
  const [deleted, setDeleted] = useState<Done>();
  const mayCreate = useMay("create pool");
  const use = useQuery(poolUseQuery());
  const listed = useQuery(poolsQuery(filters));
  const missing = listed.data && use.data ? findMissing(listed.data, use.data.pools, filters) : [];
  const byName = new Map(use.data?.pools.map((one) => [one.pool, one]));
  return (
    <>
      <h1>{t("Pools and limits")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/pools", search: { search, pool: undefined }, replace: true })}
        />
        {mayCreate && (
          <button type="button" onClick={() => setEdited("new")}>
            {t("New pool")}
          </button>
        )}
      </form>
      {edited && (
        <PoolForm
          key={edited === "new" ? "" : edited.name}
          pool={edited === "new" ? undefined : edited}
          done={() => setEdited(undefined)}
        />
      )}
      {deleted && <UndoLine done={deleted} close={() => setDeleted(undefined)} />}
      {use.data && <WaitedFor pools={use.data.pools} filters={filters} shown={listed.data?.pools ?? []} />}
      {filters.pool !== undefined && (
        <p>
          {t("Only pool {name} is shown.", { name: filters.pool })}{" "}
          <Link to="/pools" search={{}}>
            {t("All pools")}
          </Link>
        </p>
      )}
      <Answer query={listed} what={t("the pools")}>
        {(found) => (
          <>
            {found.pools.map((pool) => (
              <PoolSection
                key={pool.name}
                pool={pool}
                use={byName.get(pool.name)}
                edit={() => setEdited(pool)}
                onDeleted={setDeleted}
              />
            ))}
            <PageButtons
              page={filters.page ?? 1}
              size={PAGE}
              total={found.total_entries}
              go={(page) => void navigate({ to: "/pools", search: { ...filters, page } })}
            />
            {missing.map((one) => (
              <section key={one.pool} id={`pool-${one.pool}`} className="notice">
                <h2>{one.pool}</h2>
                <p>{t("Tasks name this pool, and it does not exist: they wait until it is created.")}</p>
                <Users use={one} />
              </section>
            ))}
          </>
        )}
      </Answer>
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
function WaitedFor({
  pools,
  filters,
  shown,
}: {
  pools: readonly PoolUse[];
  filters: PoolFilters;
  shown: readonly Pool[];
}) {
  const waited = pools.filter((one) => one.waiting > 0);
  if (waited.length === 0) return <p className="soft">{t("No task waits for a pool.")}</p>;
  return (
    <p>
      {t("Tasks wait for:")}{" "}
      {waited.map((one) => (
        <span key={one.pool}>
          <Link
            to="/pools"
            search={shown.some((pool) => pool.name === one.pool) ? filters : { pool: one.pool }}
            hash={`pool-${one.pool}`}
            className="name"
          >
            {one.pool}
          </Link>{" "}
          ({one.waiting.toLocaleString("en")}){" "}
        </span>
      ))}
    </p>
  );
}

function PoolSection({
  pool,
  use,
  edit,
  onDeleted,
}: {
  pool: Pool;
  use: PoolUse | undefined;
  edit: () => void;
  onDeleted: (done: Done) => void;
}) {
  const act = useAct("pools", "limits");
  const mayEdit = useMay("edit pool");
  const mayDelete = useMay("delete pool");
  const isUsed = pool.occupied_slots > 0;
  const { name, slots, description, include_deferred } = pool;
  const restore = () =>
    act.mutateAsync(() => post("/api/v2/pools", { body: { name, slots, description, include_deferred } }));
  return (
    <section className={styles.pool} id={`pool-${pool.name}`} aria-label={t("Pool {name}", { name: pool.name })}>
      <h2 className="name">{pool.name}</h2>
      <p>
        <Meter used={pool.occupied_slots} slots={pool.slots} />{" "}
        {pool.slots < 0
          ? t("{used} slots are used; there is no limit", { used: pool.occupied_slots })
          : t("{used} of {slots} slots are used", { used: pool.occupied_slots, slots: pool.slots })}
        {use !== undefined && use.waiting > 0 && (
          <>
            , <b>{tn("{count} is waited for", "{count} are waited for", use.waiting)}</b>
          </>
        )}
        {pool.include_deferred && <span className="soft"> · {t("deferred tasks keep their slots")}</span>}
      </p>
      {pool.description && (
        <p className="soft">
          <Value text={pool.description} isCode={false} />
        </p>
      )}
      {(mayEdit || mayDelete) && (
        <div className="acts">
          {mayEdit && (
            <button type="button" aria-label={t("Edit pool {name}", { name: pool.name })} onClick={edit}>
              {t("Edit")}
            </button>
          )}
          {mayDelete && pool.name !== DEFAULT_POOL && (
            <ConfirmButton
              label={t("Delete")}
              name={t("Delete pool {name}", { name: pool.name })}
              confirm={t("Delete the pool")}
              disabled={isUsed}
              why={t("Slots of it are in use.")}
              question={
                <p>
                  {t("Delete the pool {name}? Tasks that name it wait until it exists again.", { name: pool.name })}
                </p>
              }
              act={() =>
                act
                  .mutateAsync(() => remove("/api/v2/pools/{pool_name}", { path: { pool_name: name } }))
                  .then(() => onDeleted({ text: t("The pool {name} is deleted.", { name }), undo: restore }))
              }
            />
          )}
        </div>
      )}
      {use && <Users use={use} />}
    </section>
  );
}

export function Meter({ used, slots }: { used: number; slots: number }) {
  // A pool without slots is full: what asks for it waits.
  const share = slots > 0 ? Math.min(1, used / slots) : used > 0 || slots === 0 ? 1 : 0;
  return (
    <span className={`${styles.meter} ${slots >= 0 && used >= slots ? styles.full : ""}`} aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}

function Users({ use }: { use: PoolUse }) {
  if (use.holders.length === 0 && use.waiters.length === 0) return null;
  return (
    <div className={styles.users}>
      <UserList title={t("Hold slots")} users={use.holders} />
      <UserList title={t("Wait, the first first")} users={use.waiters} />
    </div>
  );
}

const SHOWN = 10;

function UserList({ title, users }: { title: string; users: PoolUse["holders"] }) {
  const [all, setAll] = useState(false);
  if (users.length === 0) return null;
  return (
    <div>
      <b>{title}</b>
      <ul>
        {users.slice(0, all ? users.length : SHOWN).map((one) => (
          <li key={`${one.dag_id} ${one.run_id} ${one.task_id} ${one.map_index}`}>
            <PlaceLinks dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />{" "}
            <span className="soft">
              {tn("{count} slot|pool", "{count} slots|pool", one.slots)}
              {one.since && (
                <>
                  , {t("since")} <Time at={one.since} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {users.length > SHOWN && !all && (
        <button type="button" onClick={() => setAll(true)}>
          {t("Show all {count}", { count: users.length })}
        </button>
      )}
    </div>
  );
}

function Limits() {
  return (
    <Answer query={useQuery(limitsQuery())} what={t("the limits")}>
      {(found) => (
        <>
          <h2>{t("Limits of DAGs, runs and tasks")}</h2>
          {!found.complete && <p className="notice">{t("There is too much unfinished work to show all limits.")}</p>}
          {found.limits.length === 0 ? (
            <p className="soft">{t("No limit is in use: nothing runs and nothing waits.")}</p>
          ) : (
            <StackTable
              label={t("Limits of DAGs, runs and tasks")}
              headings={[t("DAG"), t("Limit"), t("Used"), t("Hold"), t("Wait")]}
            >
              {found.limits.map((one, at) => (
                <LimitRow key={at} one={one} />
              ))}
            </StackTable>
          )}
          <h2>{t("Workers")}</h2>
          {found.parallelism !== null && found.live_attempts !== null && (
            <p>
              <Meter used={found.live_attempts} slots={found.parallelism} />{" "}
              {t("{used} of {slots} tasks run at the same time ([core] parallelism)", {
                used: found.live_attempts,
                slots: found.parallelism,
              })}
            </p>
          )}
          {found.workers.length === 0 ? (
            <p className="notice">
              {t("No worker is alive: tasks wait in their queue.")} <code>gnomon worker</code>
            </p>
          ) : (
            <ul className="cards">
              {found.workers.map((one) => (
                <li key={one.worker}>
                  <b className="name">{one.worker}</b>
                  {one.used === null ? (
                    <span>{tn("{count} slot|pool", "{count} slots|pool", one.slots)}</span>
                  ) : (
                    <span>
                      <Meter used={one.used} slots={one.slots} />{" "}
                      {t("{free} of {slots} slots are free", { free: one.slots - one.used, slots: one.slots })}
                    </span>
                  )}
                  <span className="soft">{one.host}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Answer>
  );
}

function LimitRow({ one }: { one: LimitUse }) {
  return (
    <tr>
      <td>
        <DagLink dagId={one.dag_id} />
        {one.run_id && (
          <span className="block">
            <RunLink dagId={one.dag_id} runId={one.run_id} />
          </span>
        )}
      </td>
      <td>{one.name}</td>
      <td>
        <Meter used={one.used} slots={one.limit} /> {one.used} / {one.limit}
      </td>
      <td>
        <LimitUsers users={one.holders} count={one.used} />
      </td>
      <td>
        {one.waiting > 0 ? <LimitUsers users={one.waiters} count={one.waiting} /> : <span className="soft">–</span>}
      </td>
    </tr>
  );
}

function LimitUsers({ users, count }: { users: LimitUse["holders"]; count: number }) {
  if (users.length === 0) return <span>{count}</span>;
  return (
    <details>
      <summary>{count}</summary>
      <ul className="lines">
        {users.map((one) => (
          <li key={`${one.run_id} ${one.task_id} ${one.map_index}`}>
            {one.task_id === null ? (
              <RunLink dagId={one.dag_id} runId={one.run_id} />
            ) : (
              <PlaceLinks dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
