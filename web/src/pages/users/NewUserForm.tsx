/** Creates an account with a random password, which is shown once, or without one. */

import { type FormEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";
import { makePassword, ROLES } from "./roles";

export function NewUserForm({ done, show }: { done: () => void; show: (name: string, secret: string) => void }) {
  const act = useAct("accounts", "audit");
  const [name, setName] = useState("");
  const [role, setRole] = useState("viewer");
  const [hasPassword, setHasPassword] = useState(true);
  const send = (event: FormEvent) => {
    event.preventDefault();
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
    <form className="form" onSubmit={send} aria-label={t("New user")}>
      <label>
        {t("Name")}{" "}
        <input
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        {t("Role")}{" "}
        <select value={role} onChange={(event) => setRole(event.target.value)}>
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {role === "none" && <p className="hint">{t("The account may do only what grants on single DAGs permit.")}</p>}
      <label className="check">
        <input type="checkbox" checked={hasPassword} onChange={(event) => setHasPassword(event.target.checked)} />{" "}
        {t("With a random password, which is shown once")}
      </label>
      {act.error && <Refusal error={act.error} />}
      <div className="acts">
        <button disabled={act.isPending}>{t("Create the user")}</button>
        <button type="button" onClick={done}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
