/** Creates a connection, changes one, and tests what the form holds. A password field that is left as it is keeps the stored password. */

import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Connection, optionsQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { patch, post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { FieldPair, FormDialog } from "../../ui/FormDialog";
import { checkExtra } from "./checkExtra";
import { readUri, type UriFields } from "./readUri";

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
  const uri = readUri(fields.host);
  const host = useRef<HTMLInputElement>(null);
  /** The button goes away with the URI: the focus stays at the field. */
  const fill = (found: UriFields) => {
    setFields({ ...fields, ...found });
    host.current?.focus();
  };
  const body = {
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === "" ? null : value])),
    port: fields.port === "" ? null : Number(fields.port),
  };
  const send = () => {
    const sent = connection
      ? save.mutateAsync(() =>
          patch("/api/v2/connections/{connection_id}", { path: { connection_id: connection.connection_id }, body }),
        )
      : save.mutateAsync(() => post("/api/v2/connections", { body }));
    void sent.then(
      () => {
        showToast(t("The connection {name} is saved.", { name: connection?.connection_id ?? fields.connection_id }));
        done();
      },
      () => undefined,
    );
  };
  return (
    <FormDialog
      title={connection ? t("Edit connection {name}", { name: connection.connection_id }) : t("New connection")}
      submit={t("Save")}
      close={done}
      send={send}
      isBusy={save.isPending}
      error={save.error ?? test.error}
      disabled={Boolean(problem)}
      why={problem}
      isWide
      acts={
        <Button
          disabled={allowed !== "Enabled" || Boolean(problem) || !fields.connection_id || !fields.conn_type}
          why={allowed !== "Enabled" ? t("Connections are not tested here.") : t("It needs an id and a type.")}
          isBusy={test.isPending}
          onClick={() => test.mutate(() => post("/api/v2/connections/test", { body }))}
        >
          {test.isPending ? t("Testing …") : t("Test")}
        </Button>
      }
    >
      <FieldPair>
        {!connection && (
          <Field label={t("Connection id")}>
            {(control) => <input {...control} required value={fields.connection_id} onChange={set("connection_id")} />}
          </Field>
        )}
        <Field label={t("Type")}>
          {(control) => (
            <input {...control} required list="connection-types" value={fields.conn_type} onChange={set("conn_type")} />
          )}
        </Field>
        <datalist id="connection-types">
          {COMMON_TYPES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Field
          label={t("Host")}
          fault={uri && "fault" in uri ? uri.fault : undefined}
          hint={
            uri &&
            !("fault" in uri) && (
              <Button isSmall onClick={() => fill(uri)}>
                {t("Fill the fields from this URI")}
              </Button>
            )
          }
        >
          {(control) => <input {...control} ref={host} value={fields.host} onChange={set("host")} />}
        </Field>
        <Field label={t("Port")}>
          {(control) => (
            <input {...control} type="number" min={0} max={65535} value={fields.port} onChange={set("port")} />
          )}
        </Field>
        <Field label={t("Login")}>
          {(control) => <input {...control} autoComplete="off" value={fields.login} onChange={set("login")} />}
        </Field>
        <Field label={t("Password")} hint={fields.password === HIDDEN ? t("The stored password stays.") : undefined}>
          {(control) => (
            <input
              {...control}
              type="password"
              autoComplete="new-password"
              value={fields.password}
              onChange={set("password")}
            />
          )}
        </Field>
        <Field label={t("Schema")}>
          {(control) => <input {...control} value={fields.schema} onChange={set("schema")} />}
        </Field>
        <Field label={t("Description")}>
          {(control) => <input {...control} value={fields.description} onChange={set("description")} />}
        </Field>
      </FieldPair>
      <Field label={t("Extra, a JSON object")}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            spellCheck={false}
            value={fields.extra}
            onChange={set("extra")}
            aria-invalid={Boolean(problem)}
          />
        )}
      </Field>
      {problem && <Refusal error={new Error(problem)} />}
      {test.data && (
        <p className={test.data.status ? "good" : "bad"} role="status">
          {test.data.status
            ? t("The system answers: {message}", { message: test.data.message })
            : t("The test failed: {message}", { message: test.data.message })}
        </p>
      )}
      {allowed !== undefined && allowed !== "Enabled" && (
        <p className="hint">
          {t(
            "Connections are not tested here: [core] test_connection is {allowed}. An administrator may set it to Enabled, and `gnomon connections test` tests one on the machine of the deployment.",
            { allowed },
          )}
        </p>
      )}
    </FormDialog>
  );
}
