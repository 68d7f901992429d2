/** Creates a Variable, or changes one. A masked value is not sent: the stored one stays. */

import { type FormEvent, useState } from "react";
import { type Variable } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";

const HIDDEN = "***";

export function VariableForm({ variable, done }: { variable: Variable | undefined; done: () => void }) {
  const act = useAct("variables");
  const isMasked = (variable?.value ?? "").includes(HIDDEN);
  const [key, setKey] = useState(variable?.key ?? "");
  const [value, setValue] = useState(isMasked ? "" : (variable?.value ?? ""));
  const [changed, setChanged] = useState(!isMasked);
  const [description, setDescription] = useState(variable?.description ?? "");
  const send = (event: FormEvent) => {
    event.preventDefault();
    const body = { key, value: changed ? value : HIDDEN, description };
    const query = changed ? undefined : { update_mask: ["description"] };
    const sent = variable
      ? act.mutateAsync(() =>
          patch("/api/v2/variables/{variable_key}", { path: { variable_key: variable.key }, query, body }),
        )
      : act.mutateAsync(() => post("/api/v2/variables", { body }));
    void sent.then(done, () => undefined);
  };
  const title = variable ? t("Edit Variable {name}", { name: variable.key }) : t("New Variable");
  return (
    <form className="form" onSubmit={send} aria-label={title}>
      <h2>{title}</h2>
      {!variable && (
        <label>
          {t("Key")} <input required maxLength={250} value={key} onChange={(event) => setKey(event.target.value)} />
        </label>
      )}
      {isMasked && (
        <label className="check">
          <input type="checkbox" checked={changed} onChange={(event) => setChanged(event.target.checked)} />{" "}
          {t("Replace the value, which is masked")}
        </label>
      )}
      {changed && (
        <label>
          {t("Value")}{" "}
          <textarea rows={5} spellCheck={false} value={value} onChange={(event) => setValue(event.target.value)} />
        </label>
      )}
      <label>
        {t("Description")} <input value={description} onChange={(event) => setDescription(event.target.value)} />
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
