/** What a user does to an asset: add an event from outside, or run the DAG that writes it. */

import { useState } from "react";
import { type Asset, useAddEvent, useMaterialize } from "../../api/across";
import { t } from "../../state/language";
import { showRunToast, showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { RunIcon } from "../../ui/icons";

export function AssetActs({ asset }: { asset: Asset }) {
  const [isOpen, setOpen] = useState(false);
  const materialize = useMaterialize(asset.id);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("Add an event …")}</Button>
      <Button
        look="primary"
        icon={RunIcon}
        isBusy={materialize.isPending}
        disabled={asset.producing_tasks.length === 0}
        why={t("No task writes this asset.")}
        title={t("Run the DAG that writes it")}
        onClick={() => materialize.mutate(undefined, { onSuccess: tell, onError: refuse })}
      >
        {t("Materialize")}
      </Button>
      {isOpen && <EventForm asset={asset} close={() => setOpen(false)} />}
    </>
  );
}

function tell({ dag_id: dagId, dag_run_id: runId }: { dag_id: string; dag_run_id: string }) {
  showRunToast(t("The run was created:"), [{ dagId, runId }]);
}

function refuse(error: Error) {
  showToast(error.message, undefined, true);
}

function EventForm({ asset, close }: { asset: Asset; close: () => void }) {
  const add = useAddEvent(asset.id);
  const [extra, setExtra] = useState("{}");
  const [key, setKey] = useState("");
  const [fault, setFault] = useState("");
  const send = () => {
    try {
      const read = readExtra(extra);
      setFault("");
      add.mutate({ extra: read, partition_key: key || null }, { onSuccess: close });
    } catch (error) {
      setFault(t("The extra is no JSON: {message}", { message: (error as Error).message }));
    }
  };
  return (
    <FormDialog
      title={t("An event of {name}", { name: asset.name })}
      submit={t("Add the event")}
      close={close}
      send={send}
      isBusy={add.isPending}
      error={add.error}
    >
      <Field label={t("Extra as JSON")}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            value={extra}
            spellCheck={false}
            onChange={(event) => setExtra(event.target.value)}
          />
        )}
      </Field>
      <Field label={t("Partition key (may be empty)")}>
        {(control) => (
          <input {...control} value={key} maxLength={250} onChange={(event) => setKey(event.target.value)} />
        )}
      </Field>
      {fault && (
        <p className="notice" role="alert">
          {fault}
        </p>
      )}
    </FormDialog>
  );
}

function readExtra(text: string): Record<string, unknown> {
  const read: unknown = JSON.parse(text || "{}");
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new Error(t("it must be an object, for example {example}", { example: '{"rows": 1}' }));
  return read as Record<string, unknown>;
}
