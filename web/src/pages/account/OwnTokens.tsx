/** One's own API tokens: create with a scope and an end, shown once; revoke. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ownTokensQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { ShownOnce } from "../../components/ShownOnce";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { EmptyState } from "../../ui/EmptyState";
import { Field, SelectField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { PlusIcon } from "../../ui/icons";
import { Pill } from "../../ui/Pill";
import { TOKEN_STATES } from "../users/roles";

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
  const [secret, setSecret] = useState<string>();
  const [isNew, setNew] = useState(false);
  const act = useAct("tokens", "audit");
  return (
    <Card
      title={t("API tokens")}
      acts={
        <Button isSmall icon={PlusIcon} onClick={() => setNew(true)}>
          {t("New API token")}
        </Button>
      }
    >
      {isNew && <TokenForm role={role} show={setSecret} done={() => setNew(false)} />}
      {secret && <ShownOnce label={t("The new API token:")} secret={secret} done={() => setSecret(undefined)} />}
      <Answer query={useQuery(ownTokensQuery())} what={t("the tokens")}>
        {(answer) =>
          answer.tokens.length === 0 ? (
            <EmptyState isSmall title={t("The account has no API tokens.")}>
              {t("A program that uses the API as you needs one.")}
            </EmptyState>
          ) : (
            <ul className="lines" aria-label={t("My API tokens")}>
              {answer.tokens.map((one) => (
                <li key={one.token} className={one.state === "valid" ? undefined : "soft"}>
                  <b className="name">{one.name}</b>{" "}
                  <Pill tone={one.state === "valid" ? "good" : "neutral"}>
                    {t(TOKEN_STATES[one.state] ?? one.state)}
                  </Pill>{" "}
                  {one.role} ·{" "}
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
    </Card>
  );
}

interface FormProps {
  role: string;
  show: (token: string) => void;
  done: () => void;
}

function TokenForm({ role, show, done }: FormProps) {
  const act = useAct<{ token: string }>("tokens", "audit");
  const [name, setName] = useState("");
  const [scope, setScope] = useState("viewer");
  const [lifetime, setLifetime] = useState("90 days");
  const own = ROLES.indexOf(role);
  const send = () => {
    const lifetime_s = LIFETIMES.find(([label]) => label === lifetime)?.[1] ?? null;
    void act
      .mutateAsync(() => post("/auth/tokens", { body: { name, role: scope, lifetime_s } }))
      .then(
        (made) => {
          show(made.token);
          done();
        },
        () => undefined,
      );
  };
  return (
    <FormDialog
      title={t("New API token")}
      submit={t("Create the token")}
      close={done}
      send={send}
      isBusy={act.isPending}
      error={act.error}
    >
      <Field label={t("What uses it")}>
        {(control) => (
          <input {...control} required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <SelectField
        label={t("Role at most")}
        value={scope}
        onChange={setScope}
        options={(own < 0 ? ROLES.slice(0, 3) : ROLES.slice(0, own + 1)).map((one) => ({ value: one, label: one }))}
      />
      <SelectField
        label={t("Valid for")}
        value={lifetime}
        onChange={setLifetime}
        options={LIFETIMES.map(([label]) => ({ value: label, label: t(label) }))}
      />
    </FormDialog>
  );
}
