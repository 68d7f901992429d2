/** Connections: search, create, change, test, delete. Passwords are never shown. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Connection, connectionsQuery, PAGE } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { remove } from "../../api/client";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageSteps } from "../../components/PageSteps";
import { RowActs } from "../../components/RowActs";
import { StackTable } from "../../components/StackTable";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { LinkIcon, PlusIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import { ConnectionForm } from "./ConnectionForm";

const route = getRouteApi("/connections");

export function ConnectionsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Connection | "new">();
  const list = useQuery(connectionsQuery(filters));
  const create = (
    <Act needs="create connection">
      <Button look="primary" icon={PlusIcon} onClick={() => setEdited("new")}>
        {t("New connection")}
      </Button>
    </Act>
  );
  const isEmpty = list.data?.total_entries === 0 && !filters.search;
  return (
    <>
      <PageHeader
        title={t("Connections")}
        facts={
          list.data && (
            <span role="status">{tn("{count} connection", "{count} connections", list.data.total_entries)}</span>
          )
        }
        acts={!isEmpty && create}
      />
      {!isEmpty && (
        <Toolbar label={t("Controls")}>
          <SearchBox
            label={t("Search")}
            value={filters.search}
            onChange={(search) => void navigate({ to: "/connections", search: { search }, replace: true })}
          />
        </Toolbar>
      )}
      {edited && (
        <Act needs={edited === "new" ? "create connection" : "edit connection"}>
          <ConnectionForm connection={edited === "new" ? undefined : edited} done={() => setEdited(undefined)} />
        </Act>
      )}
      <Answer query={list} what={t("the connections")}>
        {(answer) => (
          <>
            {isEmpty && (
              <EmptyState icon={LinkIcon} title={t("No connection yet")} acts={create}>
                {t(
                  "A connection keeps the address and the login of another system under an id. A task names the id, and its code has no password.",
                )}
              </EmptyState>
            )}
            {answer.total_entries === 0 && filters.search && (
              <EmptyState title={t("No connection has this in its id.")} />
            )}
            {answer.connections.length > 0 && (
              <StackTable
                label={t("Connections")}
                headings={[t("Connection"), t("Type"), t("Address"), t("Login"), t("Extra"), t("Actions")]}
              >
                {answer.connections.map((one) => (
                  <Row key={one.connection_id} one={one} edit={() => setEdited(one)} />
                ))}
              </StackTable>
            )}
            <PageSteps
              page={filters.page ?? 1}
              size={PAGE}
              total={answer.total_entries}
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
      <td>
        <Pill>{one.conn_type}</Pill>
      </td>
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
      <td>{one.extra ? <Value text={one.extra} /> : <span className="soft none">–</span>}</td>
      <td>
        <RowActs needs="edit connection" name={t("Edit connection {name}", { name: id })} edit={edit}>
          <Act needs="delete connection">
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
          </Act>
        </RowActs>
      </td>
    </tr>
  );
}
