/** Connections: search, create, change, test, delete. Passwords are never shown. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Connection, connectionsQuery, PAGE } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { remove } from "../../api/client";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Value } from "../../components/Value";
import { useMay } from "../../state/account";
import { t, tn } from "../../state/language";
import { ConnectionForm } from "./ConnectionForm";

const route = getRouteApi("/connections");

export function ConnectionsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Connection | "new">();
  const mayCreate = useMay("create connection");
  return (
    <>
      <h1>{t("Connections")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/connections", search: { search }, replace: true })}
        />
        {mayCreate && (
          <button type="button" onClick={() => setEdited("new")}>
            {t("New connection")}
          </button>
        )}
      </form>
      {edited && (
        <ConnectionForm
          key={edited === "new" ? "" : edited.connection_id}
          connection={edited === "new" ? undefined : edited}
          done={() => setEdited(undefined)}
        />
      )}
      <Answer query={useQuery(connectionsQuery(filters))} what={t("the connections")}>
        {(found) => (
          <>
            <p className="soft" role="status">
              {tn("{count} connection", "{count} connections", found.total_entries)}
            </p>
            {found.total_entries === 0 && !filters.search && (
              <p>
                {t(
                  "A connection keeps the address and the login of another system under an id. A task names the id, and its code has no password.",
                )}
              </p>
            )}
            {found.connections.length > 0 && (
              <StackTable
                label={t("Connections")}
                headings={[t("Connection"), t("Type"), t("Address"), t("Login"), t("Extra"), t("Actions")]}
              >
                {found.connections.map((one) => (
                  <Row key={one.connection_id} one={one} edit={() => setEdited(one)} />
                ))}
              </StackTable>
            )}
            <PageButtons
              page={filters.page ?? 1}
              size={PAGE}
              total={found.total_entries}
              go={(page) => void navigate({ to: "/connections", search: { ...filters, page } })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

function Row({ one, edit }: { one: Connection; edit: () => void }) {
  const act = useAct("connections");
  const id = one.connection_id;
  return (
    <tr>
      <td>
        <b className="name">{id}</b>
        {one.description && <Value text={one.description} isCode={false} />}
      </td>
      <td>{one.conn_type}</td>
      <td>
        <Value
          isCode={false}
          text={`${[one.host, one.port].filter((part) => part !== null && part !== "").join(":") || "–"}${one.schema ? `/${one.schema}` : ""}`}
        />
      </td>
      <td>
        <Value isCode={false} text={one.login || "–"} />
        {one.password && <span className="soft block">{t("with a password")}</span>}
      </td>
      <td>{one.extra ? <Value text={one.extra} /> : <span className="soft">–</span>}</td>
      <td>
        <div className="acts">
          {useMay("edit connection") && (
            <button type="button" aria-label={t("Edit connection {name}", { name: id })} onClick={edit}>
              {t("Edit")}
            </button>
          )}
          {useMay("delete connection") && (
            <ConfirmButton
              label={t("Delete")}
              name={t("Delete connection {name}", { name: id })}
              confirm={t("Delete the connection")}
              question={
                <p>
                  {t("Delete the connection {name}? Tasks that use it fail. Its password cannot be read again.", {
                    name: id,
                  })}
                </p>
              }
              act={() =>
                act.mutateAsync(() => remove("/api/v2/connections/{connection_id}", { path: { connection_id: id } }))
              }
            />
          )}
        </div>
      </td>
    </tr>
  );
}
