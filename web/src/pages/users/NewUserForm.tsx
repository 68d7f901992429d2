/** Creates an account with a random password, which is shown once, or without one. */

import { useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { t } from "../../state/language";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { makePassword, ROLES } from "./roles";

export function NewUserForm({ done, show }: { done: () => void; show: (name: string, secret: string) => void }) {
  const act = useAct("accounts", "audit");
  const [name, setName] = useState("");
  const [role, setRole] = useState("viewer");
  const [hasPassword, setHasPassword] = useState(true);
  const send = () => {
    const password = hasPassword ? makePassword() : null;
    void act
      .mutateAsync(() => post("/api/gnomon/v1/operations/accounts.create", { body: { name, role, password } }))
      .then(
        () => {
          if (password) show(name, password);
          done();
        },
        () => undefined,
      );
  };
  return (
    <FormDialog
      title={t("New user")}
      submit={t("Create the user")}
      close={done}
      send={send}
      isBusy={act.isPending}
      error={act.error}
    >
      <Field label={t("Name")}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t("Role")}
        hint={
          role === "none"
            ? t("The account may do only what grants on single DAGs permit.")
            : t(
                "A role includes the ones before it: viewer reads; user triggers, clears, marks and pauses; operator changes connections, Variables and pools; admin changes accounts.",
              )
        }
      >
        {(control) => (
          <select {...control} value={role} onChange={(event) => setRole(event.target.value)}>
            {ROLES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <label>
        <input type="checkbox" checked={hasPassword} onChange={(event) => setHasPassword(event.target.checked)} />
        {t("With a random password, which is shown once")}
      </label>
    </FormDialog>
  );
}
