/** One's own API tokens: create with a scope and an end, shown once; revoke. */

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ownTokensQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Answer, Refusal } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { ShownOnce } from "../../components/ShownOnce";
import { Time } from "../../components/Time";
import { t } from "../../state/language";

const DAY_S = 86_400;
const LIFETIMES: [string, number | null][] = [
  [/* text */ "one day", DAY_S],
  [/* text */ "30 days", 30 * DAY_S],
  [/* text */ "90 days", 90 * DAY_S],
  [/* text */ "one year", 365 * DAY_S],
  [/* text */ "until it is revoked", null],
];
const ROLES = ["viewer", "user", "operator", "admin"];

export function OwnTokens({ role }: { role: string }) {
  const [shown, setShown] = useState<string>();
  const act = useAct("tokens", "audit");
  return (
    <>
      <TokenForm role={role} show={setShown} />
      {shown && <ShownOnce label={t("The new API token:")} secret={shown} done={() => setShown(undefined)} />}
      <Answer query={useQuery(ownTokensQuery())} what={t("the tokens")}>
        {(found) =>
          found.tokens.length === 0 ? (
            <p className="soft">{t("The account has no API tokens.")}</p>
          ) : (
            <ul className="lines" aria-label={t("My API tokens")}>
              {found.tokens.map((one) => (
                <li key={one.token} className={one.state === "valid" ? undefined : "soft"}>
                  <b className="name">{one.name}</b> {one.role} · {one.state} ·{" "}
                  {one.expires_at ? (
                    <>
                      {t("expires")} <Time at={one.expires_at} />
                    </>
                  ) : (
                    t("does not expire")
                  )}{" "}
                  · {t("last used")} <Time at={one.used_at} />{" "}
                  {one.state === "valid" && (
                    <ConfirmButton
                      label={t("Revoke")}
                      name={t("Revoke token {name}", { name: one.name })}
                      confirm={t("Revoke the token")}
                      question={
                        <p>
                          {t("Revoke the token {name}? Requests with it are refused from now on.", { name: one.name })}
                        </p>
                      }
                      act={() => act.mutateAsync(() => remove("/auth/tokens/{token}", { path: { token: one.token } }))}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </>
  );
}

function TokenForm({ role, show }: { role: string; show: (token: string) => void }) {
  const act = useAct<{ token: string }>("tokens", "audit");
  const [name, setName] = useState("");
  const [scope, setScope] = useState("viewer");
  const [lifetime, setLifetime] = useState("90 days");
  const own = ROLES.indexOf(role);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const lifetime_s = LIFETIMES.find(([label]) => label === lifetime)?.[1] ?? null;
    void act
      .mutateAsync(() => post("/auth/tokens", { body: { name, role: scope, lifetime_s } }))
      .then(
        (made) => {
          show(made.token);
          setName("");
        },
        () => undefined,
      );
  };
  return (
    <form className="form" onSubmit={send} aria-label={t("New API token")}>
      <div className="pair">
        <label>
          {t("What uses it")}{" "}
          <input required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          {t("Role at most")}{" "}
          <select value={scope} onChange={(event) => setScope(event.target.value)}>
            {(own < 0 ? ROLES.slice(0, 3) : ROLES.slice(0, own + 1)).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          {t("Valid for")}{" "}
          <select value={lifetime} onChange={(event) => setLifetime(event.target.value)}>
            {LIFETIMES.map(([label]) => (
              <option key={label} value={label}>
                {t(label)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {act.error && <Refusal error={act.error} />}
      <div className="acts">
        <button disabled={act.isPending}>{t("Create the token")}</button>
      </div>
    </form>
  );
}
