/** Variables: search, create, change, delete, import and export. Values under sensitive keys are masked by the server. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { PAGE, type Variable, variablesQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { type Done, UndoLine } from "../../components/UndoLine";
import { Value } from "../../components/Value";
import { useMay } from "../../state/account";
import { t, tn } from "../../state/language";
import { ExportButton, ImportForm } from "./VariableFiles";
import { VariableForm } from "./VariableForm";

const route = getRouteApi("/variables");

export function VariablesPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Variable | "new">();
  const [deleted, setDeleted] = useState<Done>();
  const [imports, setImports] = useState(false);
  const mayCreate = useMay("create variable");
  const mayEdit = useMay("edit variable");
  return (
    <>
      <h1>{t("Variables")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/variables", search: { search }, replace: true })}
        />
        {mayCreate && (
          <button type="button" onClick={() => setEdited("new")}>
            {t("New Variable")}
          </button>
        )}
        {mayEdit && (
          <button type="button" aria-expanded={imports} onClick={() => setImports(!imports)}>
            {t("Import")}
          </button>
        )}
        <ExportButton />
      </form>
      {imports && <ImportForm done={() => setImports(false)} />}
      {edited && (
        <VariableForm
          key={edited === "new" ? "" : edited.key}
          variable={edited === "new" ? undefined : edited}
          done={() => setEdited(undefined)}
        />
      )}
      {deleted && <UndoLine done={deleted} close={() => setDeleted(undefined)} />}
      <Answer query={useQuery(variablesQuery(filters))} what={t("the Variables")}>
        {(found) => (
          <>
            <p className="soft" role="status">
              {tn("{count} Variable", "{count} Variables", found.total_entries)}
            </p>
            {found.total_entries === 0 && !filters.search && (
              <p>
                {t(
                  "A Variable is a value under a key that DAGs read when they run, so that it can change without a change of their files.",
                )}
              </p>
            )}
            {found.variables.length > 0 && (
              <StackTable label={t("Variables")} headings={[t("Key"), t("Value"), t("Description"), t("Actions")]}>
                {found.variables.map((one) => (
                  <Row key={one.key} one={one} edit={() => setEdited(one)} onDeleted={setDeleted} />
                ))}
              </StackTable>
            )}
            <PageButtons
              page={filters.page ?? 1}
              size={PAGE}
              total={found.total_entries}
              go={(page) => void navigate({ to: "/variables", search: { ...filters, page } })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

function Row({
  one,
  edit,
  onDeleted,
}: {
  one: Variable;
  edit: () => void;
  onDeleted: (done: Done | undefined) => void;
}) {
  const act = useAct("variables");
  const { key, value, description } = one;
  const isMasked = (value ?? "").includes("***");
  const restore = () => act.mutateAsync(() => post("/api/v2/variables", { body: { key, value, description } }));
  return (
    <tr>
      <td>
        <b className="name">{one.key}</b>
      </td>
      <td>
        <Value text={one.value ?? ""} />
      </td>
      <td>
        <Value text={one.description || "–"} isCode={false} />
      </td>
      <td>
        <div className="acts">
          {useMay("edit variable") && (
            <button type="button" aria-label={t("Edit Variable {name}", { name: one.key })} onClick={edit}>
              {t("Edit")}
            </button>
          )}
          {useMay("delete variable") && (
            <ConfirmButton
              label={t("Delete")}
              name={t("Delete Variable {name}", { name: one.key })}
              confirm={t("Delete the Variable")}
              question={
                <p>
                  {t("Delete the Variable {name}? DAG files and tasks that read it get its default, or fail.", {
                    name: key,
                  })}{" "}
                  {isMasked && t("Its value cannot be read again.")}
                </p>
              }
              act={() =>
                act
                  .mutateAsync(() => remove("/api/v2/variables/{variable_key}", { path: { variable_key: key } }))
                  .then(() =>
                    onDeleted(
                      isMasked
                        ? undefined
                        : { text: t("The Variable {name} is deleted.", { name: key }), undo: restore },
                    ),
                  )
              }
            />
          )}
        </div>
      </td>
    </tr>
  );
}
