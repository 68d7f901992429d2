/** Creates a Variable, or changes one. A masked value is not sent: the stored one stays. */

import { useState } from "react";
import { type Variable } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";

const HIDDEN = "***";

/** What a key with white space means for those who read the Variable; undefined: it has none. */
function describeKey(key: string): string | undefined {
  if (key !== key.trim()) return t("The key begins or ends with white space, and tasks find it only with that.");
  if (!/\s/.test(key)) return undefined;
  const read = `var.value.get(${JSON.stringify(key)})`;
  return t("The key has white space: templates read it with {read} only.", { read });
}

export function VariableForm({ variable, done }: { variable: Variable | undefined; done: () => void }) {
  const act = useAct("variables");
  const isMasked = (variable?.value ?? "").includes(HIDDEN);
  const [key, setKey] = useState(variable?.key ?? "");
  const [value, setValue] = useState(isMasked ? "" : (variable?.value ?? ""));
  const [changed, setChanged] = useState(!isMasked);
  const [description, setDescription] = useState(variable?.description ?? "");
  const send = () => {
    const body = { key, value: changed ? value : HIDDEN, description };
    const query = changed ? undefined : { update_mask: ["description"] };
    const sent = variable
      ? act.mutateAsync(() =>
          patch("/api/v2/variables/{variable_key}", { path: { variable_key: variable.key }, query, body }),
        )
      : act.mutateAsync(() => post("/api/v2/variables", { body }));
    void sent.then(
      () => {
        showToast(t("The Variable {name} is saved.", { name: variable?.key ?? key }));
        done();
      },
      () => undefined,
    );
  };
  return (
    <FormDialog
      title={variable ? t("Edit Variable {name}", { name: variable.key }) : t("New Variable")}
      submit={t("Save")}
      close={done}
      send={send}
      isBusy={act.isPending}
      error={act.error}
    >
      {!variable && (
        <Field label={t("Key")} hint={describeKey(key)}>
          {(control) => (
            <input {...control} required maxLength={250} value={key} onChange={(event) => setKey(event.target.value)} />
          )}
        </Field>
      )}
      {isMasked && (
        <label>
          <input type="checkbox" checked={changed} onChange={(event) => setChanged(event.target.checked)} />
          {t("Replace the value, which is masked")}
        </label>
      )}
      {changed && (
        <Field label={t("Value")}>
          {(control) => (
            <textarea
              {...control}
              rows={5}
              spellCheck={false}
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label={t("Description")}>
        {(control) => (
          <input {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
