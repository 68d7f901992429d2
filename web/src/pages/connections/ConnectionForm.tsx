/** Creates a connection, changes one, and tests what the form holds. A password field that is left as it is keeps the stored password. */

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Connection, optionsQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";
import { checkExtra } from "./checkExtra";

const HIDDEN = "***";
const COMMON_TYPES = [
  "postgres",
  "mysql",
  "sqlite",
  "http",
  "https",
  "ssh",
  "sftp",
  "ftp",
  "smtp",
  "aws",
  "google_cloud_platform",
  "wasb",
  "redis",
  "fs",
  "generic",
];

export function ConnectionForm({ connection, done }: { connection: Connection | undefined; done: () => void }) {
  const save = useAct("connections");
  const allowed = useQuery(optionsQuery()).data?.options.find(
    (one) => one.section === "core" && one.name === "test_connection",
  )?.value;
  const test = useAct<{ status: boolean; message: string }>();
  const [fields, setFields] = useState(() => ({
    connection_id: connection?.connection_id ?? "",
    conn_type: connection?.conn_type ?? "",
    host: connection?.host ?? "",
    port: String(connection?.port ?? ""),
    login: connection?.login ?? "",
    password: connection?.password ?? "",
    schema: connection?.schema ?? "",
    extra: connection?.extra ?? "",
    description: connection?.description ?? "",
  }));
  const set = (name: keyof typeof fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [name]: event.target.value });
  const problem = checkExtra(fields.extra);
  const body = {
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === "" ? null : value])),
    port: fields.port === "" ? null : Number(fields.port),
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    const sent = connection
      ? save.mutateAsync(() =>
          patch("/api/v2/connections/{connection_id}", { path: { connection_id: connection.connection_id }, body }),
        )
      : save.mutateAsync(() => post("/api/v2/connections", { body }));
    void sent.then(done, () => undefined);
  };
  const title = connection ? t("Edit connection {name}", { name: connection.connection_id }) : t("New connection");
  return (
    <form className="form" onSubmit={send} aria-label={title}>
      <h2>{title}</h2>
      <div className="pair">
        {!connection && (
          <label>
            {t("Connection id")} <input required value={fields.connection_id} onChange={set("connection_id")} />
          </label>
        )}
        <label>
          {t("Type")} <input required list="connection-types" value={fields.conn_type} onChange={set("conn_type")} />
        </label>
        <datalist id="connection-types">
          {COMMON_TYPES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label>
          {t("Host")} <input value={fields.host} onChange={set("host")} />
        </label>
        <label>
          {t("Port")} <input type="number" min={0} max={65535} value={fields.port} onChange={set("port")} />
        </label>
        <label>
          {t("Login")} <input autoComplete="off" value={fields.login} onChange={set("login")} />
        </label>
        <label>
          {t("Password")}{" "}
          <input type="password" autoComplete="new-password" value={fields.password} onChange={set("password")} />
          {fields.password === HIDDEN && <span className="hint">{t("The stored password stays.")}</span>}
        </label>
        <label>
          {t("Schema")} <input value={fields.schema} onChange={set("schema")} />
        </label>
        <label>
          {t("Description")} <input value={fields.description} onChange={set("description")} />
        </label>
      </div>
      <label>
        {t("Extra, a JSON object")}{" "}
        <textarea
          rows={4}
          spellCheck={false}
          value={fields.extra}
          onChange={set("extra")}
          aria-invalid={Boolean(problem)}
        />
      </label>
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      {save.error && <Refusal error={save.error} />}
      {test.data && (
        <p className={test.data.status ? "good" : "bad"} role="status">
          {test.data.status
            ? t("The system answers: {message}", { message: test.data.message })
            : t("The test failed: {message}", { message: test.data.message })}
        </p>
      )}
      {test.error && <Refusal error={test.error} />}
      {allowed !== undefined && allowed !== "Enabled" && (
        <p className="hint">
          {t(
            "Connections are not tested here: [core] test_connection is {allowed}. An administrator may set it to Enabled, and `gnomon connections test` tests one on the machine of the deployment.",
            { allowed },
          )}
        </p>
      )}
      <div className="acts">
        <button disabled={save.isPending || Boolean(problem)}>{t("Save")}</button>
        <button
          type="button"
          disabled={
            allowed !== "Enabled" || test.isPending || Boolean(problem) || !fields.connection_id || !fields.conn_type
          }
          onClick={() => test.mutate(() => post("/api/v2/connections/test", { body }))}
        >
          {test.isPending ? t("Testing …") : t("Test")}
        </button>
        <button type="button" onClick={done}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
