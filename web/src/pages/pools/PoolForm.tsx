/** Creates a pool, or changes one. */

import { useState } from "react";
import { type Pool } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";

/** `name`: of a new pool, where tasks name one already. */
export function PoolForm({ pool, name: wanted = "", done }: { pool?: Pool; name?: string; done: () => void }) {
  const act = useAct("pools", "limits");
  const [name, setName] = useState(pool?.name ?? wanted);
  const [slots, setSlots] = useState(String(pool?.slots ?? 1));
  const [description, setDescription] = useState(pool?.description ?? "");
  const [deferred, setDeferred] = useState(pool?.include_deferred ?? false);
  const isDefault = pool?.name === "default_pool";
  const send = () => {
    const fields = { slots: Number(slots), include_deferred: deferred, ...(isDefault ? {} : { description }) };
    const sent = pool
      ? act.mutateAsync(() => patch("/api/v2/pools/{pool_name}", { path: { pool_name: pool.name }, body: fields }))
      : act.mutateAsync(() => post("/api/v2/pools", { body: { name, ...fields } }));
    void sent.then(
      () => {
        showToast(t("The pool {name} is saved.", { name: pool?.name ?? name }));
        done();
      },
      () => undefined,
    );
  };
  return (
    <FormDialog
      title={pool ? t("Edit pool {name}", { name: pool.name }) : t("New pool")}
      submit={t("Save")}
      close={done}
      send={send}
      isBusy={act.isPending}
      error={act.error}
    >
      {!pool && (
        <Field label={t("Name")}>
          {(control) => (
            <input
              {...control}
              required
              value={name}
              maxLength={256}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label={t("Slots (-1: no limit)")}>
        {(control) => (
          <input
            {...control}
            required
            type="number"
            min={-1}
            step={1}
            value={slots}
            onChange={(event) => setSlots(event.target.value)}
          />
        )}
      </Field>
      {!isDefault && (
        <Field label={t("Description")}>
          {(control) => (
            <input {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
      )}
      <label>
        <input type="checkbox" checked={deferred} onChange={(event) => setDeferred(event.target.checked)} />
        {t("Deferred tasks keep their slots")}
      </label>
    </FormDialog>
  );
}
