/** Gives an account a role on some DAGs. */

import { type FormEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";
import { GRANT_ROLES } from "./roles";

export function GrantForm({ name, done }: { name: string; done: () => void }) {
  const act = useAct("accounts", "audit");
  const [kind, setKind] = useState("dag");
  const [pattern, setPattern] = useState("");
  const [role, setRole] = useState("user");
  const send = (event: FormEvent) => {
    event.preventDefault();
    void act
      .mutateAsync(() => post("/api/gnomon/v1/operations/accounts.grant", { body: { name, kind, pattern, role } }))
      .then(done, () => undefined);
  };
  return (
    <form onSubmit={send} aria-label={t("Grant for {name}", { name })}>
      <div className="acts">
        <label>
          {t("Role")}{" "}
          <select value={role} onChange={(event) => setRole(event.target.value)}>
            {GRANT_ROLES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          {t("on DAGs by")}{" "}
          <select value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="dag">{t("id")}</option>
            <option value="tag">{t("tag")}</option>
          </select>
        </label>
        <label>
          {t("Pattern, with * and ?")}{" "}
          <input required value={pattern} onChange={(event) => setPattern(event.target.value)} />
        </label>
        <button disabled={act.isPending}>{t("Add")}</button>
      </div>
      {act.error && <Refusal error={act.error} />}
    </form>
  );
}
