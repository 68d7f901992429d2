/** Gives an account a role on some DAGs. */

import { useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { t } from "../../state/language";
import { Field, SelectField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { GRANT_ROLES } from "./roles";

export function GrantForm({ name, done }: { name: string; done: () => void }) {
  const act = useAct("accounts", "audit");
  const [kind, setKind] = useState("dag");
  const [pattern, setPattern] = useState("");
  const [role, setRole] = useState("user");
  const send = () =>
    void act
      .mutateAsync(() => post("/api/gnomon/v1/operations/accounts.grant", { body: { name, kind, pattern, role } }))
      .then(done, () => undefined);
  return (
    <FormDialog
      title={t("Grant for {name}", { name })}
      submit={t("Add")}
      close={done}
      send={send}
      isBusy={act.isPending}
      error={act.error}
    >
      <SelectField
        label={t("Role")}
        value={role}
        onChange={setRole}
        options={GRANT_ROLES.map((one) => ({ value: one, label: one }))}
      />
      <SelectField
        label={t("on DAGs by")}
        value={kind}
        onChange={setKind}
        options={[
          { value: "dag", label: t("id") },
          { value: "tag", label: t("tag") },
        ]}
      />
      <Field label={t("Pattern, with * and ?")}>
        {(control) => (
          <input {...control} required value={pattern} onChange={(event) => setPattern(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
