/** Creates a pool, or changes one. */

import { type FormEvent, useState } from "react";
import { type Pool } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";

export function PoolForm({ pool, done }: { pool: Pool | undefined; done: () => void }) {
  const act = useAct("pools", "limits");
  const [name, setName] = useState(pool?.name ?? "");
  const [slots, setSlots] = useState(String(pool?.slots ?? 1));
  const [description, setDescription] = useState(pool?.description ?? "");
  const [deferred, setDeferred] = useState(pool?.include_deferred ?? false);
  const isDefault = pool?.name === "default_pool";
  const send = (event: FormEvent) => {
    event.preventDefault();
    const fields = { slots: Number(slots), include_deferred: deferred, ...(isDefault ? {} : { description }) };
    const sent = pool
      ? act.mutateAsync(() => patch("/api/v2/pools/{pool_name}", { path: { pool_name: pool.name }, body: fields }))
      : act.mutateAsync(() => post("/api/v2/pools", { body: { name, ...fields } }));
    void sent.then(done, () => undefined);
  };
  return (
    <form
      className="form"
      onSubmit={send}
      aria-label={pool ? t("Edit pool {name}", { name: pool.name }) : t("New pool")}
    >
      <h2>{pool ? t("Edit pool {name}", { name: pool.name }) : t("New pool")}</h2>
      {!pool && (
        <label>
          {t("Name")} <input required value={name} maxLength={256} onChange={(event) => setName(event.target.value)} />
        </label>
      )}
      <label>
        {t("Slots (-1: no limit)")}{" "}
        <input
          required
          type="number"
          min={-1}
          step={1}
          value={slots}
          onChange={(event) => setSlots(event.target.value)}
        />
      </label>
      {!isDefault && (
        <label>
          {t("Description")} <input value={description} onChange={(event) => setDescription(event.target.value)} />
        </label>
      )}
      <label className="check">
        <input type="checkbox" checked={deferred} onChange={(event) => setDeferred(event.target.checked)} />{" "}
        {t("Deferred tasks keep their slots")}
      </label>
      {act.error && <Refusal error={act.error} />}
      <div className="acts">
        <button disabled={act.isPending}>{t("Save")}</button>
        <button type="button" onClick={done}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
