/** What a user does to an asset: add an event from outside, or run the DAG that writes it. */

import { type FormEvent, useState } from "react";
import { type Asset, useAddEvent, useMaterialize } from "../../api/across";
import { Refusal } from "../../components/Answer";
import { RunLink } from "../../components/Names";
import { t } from "../../state/language";
import styles from "./asset.module.css";

export function AssetActs({ asset }: { asset: Asset }) {
  const [isOpen, setOpen] = useState(false);
  const materialize = useMaterialize(asset.id);
  return (
    <>
      <div className="acts">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("Add an event …")}
        </button>
        <button
          type="button"
          disabled={materialize.isPending || asset.producing_tasks.length === 0}
          onClick={() => materialize.mutate()}
          title={asset.producing_tasks.length === 0 ? t("No task writes this asset.") : undefined}
        >
          {t("Materialize: run the DAG that writes it")}
        </button>
        {materialize.data && (
          <span role="status">
            {t("The run was created:")} <RunLink dagId={materialize.data.dag_id} runId={materialize.data.dag_run_id} />
          </span>
        )}
      </div>
      {materialize.isError && <Refusal error={materialize.error} />}
      {isOpen && <EventForm assetId={asset.id} close={() => setOpen(false)} />}
    </>
  );
}

function EventForm({ assetId, close }: { assetId: number; close: () => void }) {
  const add = useAddEvent(assetId);
  const [extra, setExtra] = useState("{}");
  const [key, setKey] = useState("");
  const [fault, setFault] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const found: unknown = JSON.parse(extra || "{}");
      if (typeof found !== "object" || found === null || Array.isArray(found))
        throw new Error(t("it must be an object, for example {example}", { example: '{"rows": 1}' }));
      setFault("");
      add.mutate({ extra: found as Record<string, unknown>, partition_key: key || null }, { onSuccess: close });
    } catch (error) {
      setFault(t("The extra is no JSON: {message}", { message: (error as Error).message }));
    }
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <label>
        {t("Extra as JSON")}
        <textarea rows={3} value={extra} spellCheck={false} onChange={(event) => setExtra(event.target.value)} />
      </label>
      <label>
        {t("Partition key (may be empty)")}{" "}
        <input value={key} maxLength={250} onChange={(event) => setKey(event.target.value)} />
      </label>
      {fault && (
        <p className="notice" role="alert">
          {fault}
        </p>
      )}
      {add.isError && <Refusal error={add.error} />}
      <button disabled={add.isPending}>{t("Add the event")}</button>
    </form>
  );
}
