/** A pool in the table of pools, and the sheet of who holds its slots and who waits for them. */

import type { Pool, PoolUse } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Act } from "../../components/Act";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PlaceLinks } from "../../components/Names";
import { RowActs } from "../../components/RowActs";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Meter } from "../../ui/Meter";
import { Sheet } from "../../ui/Sheet";
import styles from "./pools.module.css";

const DEFAULT_POOL = "default_pool";

interface Props {
  pool: Pool;
  use: PoolUse | undefined;
  isChosen: boolean;
  edit: () => void;
  open: () => void;
}

export function PoolRow({ pool, use, isChosen, edit, open }: Props) {
  const act = useAct("pools", "limits");
  const { name, slots, description, include_deferred } = pool;
  const isUsed = pool.occupied_slots > 0;
  const holders = use?.holders.length ?? 0;
  const waiting = use?.waiting ?? 0;
  const restore = async () => {
    await act.mutateAsync(() => post("/api/v2/pools", { body: { name, slots, description, include_deferred } }));
  };
  return (
    <tr id={`pool-${name}`} aria-label={t("Pool {name}", { name })} aria-selected={isChosen}>
      <td>
        <button type="button" className="plain name" aria-haspopup="dialog" onClick={open}>
          {name}
        </button>
      </td>
      <td>
        <span className={styles.load}>
          <Meter used={pool.occupied_slots} slots={slots} />{" "}
          {slots < 0
            ? t("{used} used, no limit", { used: pool.occupied_slots })
            : t("{used} of {slots} used", {
                used: pool.occupied_slots,
                slots,
              })}
        </span>
      </td>
      <td>{holders > 0 ? <Names users={use?.holders ?? []} open={open} /> : <span className="soft none">–</span>}</td>
      <td>
        {waiting > 0 ? (
          <Button isSmall look="quiet" onClick={open}>
            {tn("{count} waits", "{count} wait", waiting)}
          </Button>
        ) : (
          <span className="soft none">–</span>
        )}
      </td>
      <td>
        {description && (
          <Value text={name === DEFAULT_POOL ? t("Tasks without a pool of their own") : description} isCode={false} />
        )}
        {include_deferred && <span className="soft block">{t("deferred tasks keep their slots")}</span>}
      </td>
      <td>
        <RowActs needs="edit pool" name={t("Edit pool {name}", { name })} edit={edit}>
          {name !== DEFAULT_POOL && (
            <Act needs="delete pool">
              <ConfirmButton
                label={t("Delete")}
                name={t("Delete pool {name}", { name })}
                confirm={t("Delete the pool")}
                disabled={isUsed}
                why={t("Slots of it are in use.")}
                question={
                  <p>{t("Delete the pool {name}? Tasks that name it wait until it exists again.", { name })}</p>
                }
                act={() =>
                  act
                    .mutateAsync(() => remove("/api/v2/pools/{pool_name}", { path: { pool_name: name } }))
                    .then(() => showToast(t("The pool {name} is deleted.", { name }), restore))
                }
              />
            </Act>
          )}
        </RowActs>
      </td>
    </tr>
  );
}

type Users = PoolUse["holders"];

/** The first that holds a slot, and a button for the others. */
function Names({ users, open }: { users: Users; open: () => void }) {
  const first = users[0];
  if (!first) return null;
  return (
    <span className={styles.names}>
      <PlaceLinks dagId={first.dag_id} runId={first.run_id} taskId={first.task_id} mapIndex={first.map_index} />
      {users.length > 1 && (
        <Button isSmall look="quiet" onClick={open}>
          {t("and {count} more", { count: users.length - 1 })}
        </Button>
      )}
    </span>
  );
}

export function PoolSheet({ name, use, close }: { name: string; use: PoolUse | undefined; close: () => void }) {
  const holders = use?.holders ?? [];
  const waiters = use?.waiters ?? [];
  return (
    <Sheet title={t("Pool {name}", { name })} open close={close}>
      {holders.length + waiters.length === 0 && (
        <EmptyState isSmall title={t("No task holds a slot, and none waits.")} />
      )}
      <UserList title={t("Hold slots")} users={holders} />
      <UserList title={t("Wait, the first first")} users={waiters} />
      {use && use.waiting > waiters.length && (
        <p className="soft">{t("and {count} more", { count: use.waiting - waiters.length })}</p>
      )}
    </Sheet>
  );
}

function UserList({ title, users }: { title: string; users: Users }) {
  if (users.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul className="lines">
        {users.map((one) => (
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
    </section>
  );
}
