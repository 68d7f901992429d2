/** Variables: search, create, change, delete, import and export. Values under sensitive keys are masked by the server. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { PAGE, type Variable, variablesQuery } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post, remove } from "../../api/client";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageSteps } from "../../components/PageSteps";
import { RowActs } from "../../components/RowActs";
import { StackTable } from "../../components/StackTable";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { CodeIcon, PlusIcon, UploadIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { ExportButton, ImportForm } from "./VariableFiles";
import { VariableForm } from "./VariableForm";

const route = getRouteApi("/variables");

export function VariablesPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Variable | "new">();
  const [isImporting, setImporting] = useState(false);
  const list = useQuery(variablesQuery(filters));
  const isEmpty = list.data?.total_entries === 0 && !filters.search;
  const create = (
    <Act needs="create variable">
      <Button look="primary" icon={PlusIcon} onClick={() => setEdited("new")}>
        {t("New Variable")}
      </Button>
    </Act>
  );
  const bring = (
    <Act needs="edit variable">
      <Button icon={UploadIcon} onClick={() => setImporting(true)}>
        {t("Import")}
      </Button>
    </Act>
  );
  return (
    <>
      <PageHeader
        title={t("Variables")}
        facts={
          list.data && <span role="status">{tn("{count} Variable", "{count} Variables", list.data.total_entries)}</span>
        }
        acts={!isEmpty && create}
      />
      {!isEmpty && (
        <Toolbar label={t("Controls")}>
          <SearchBox
            label={t("Search")}
            value={filters.search}
            onChange={(search) => void navigate({ to: "/variables", search: { search }, replace: true })}
          />
          {bring}
          <ExportButton />
        </Toolbar>
      )}
      <Act needs="edit variable">
        {isImporting && <ImportForm done={() => setImporting(false)} />}
        {edited && <VariableForm variable={edited === "new" ? undefined : edited} done={() => setEdited(undefined)} />}
      </Act>
      <Answer query={list} what={t("the Variables")}>
        {(answer) => (
          <>
            {isEmpty && (
              <EmptyState
                icon={CodeIcon}
                title={t("No Variable yet")}
                acts={
                  <>
                    {create}
                    {bring}
                  </>
                }
              >
                {t(
                  "A Variable is a value under a key that DAGs read when they run, so that it can change without a change of their files.",
                )}
              </EmptyState>
            )}
            {answer.total_entries === 0 && filters.search && (
              <EmptyState title={t("No Variable has this in its key.")} />
            )}
            {answer.variables.length > 0 && (
              <StackTable label={t("Variables")} headings={[t("Key"), t("Value"), t("Description"), t("Actions")]}>
                {answer.variables.map((one) => (
                  <Row key={one.key} one={one} edit={() => setEdited(one)} />
                ))}
              </StackTable>
            )}
            <PageSteps
              page={filters.page ?? 1}
              size={PAGE}
              total={answer.total_entries}
              go={(page) => void navigate({ to: "/variables", search: { ...filters, page } })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

function Row({ one, edit }: { one: Variable; edit: () => void }) {
  const act = useAct("variables");
  const { key, value, description } = one;
  const isMasked = (value ?? "").includes("***");
  const restore = async () => {
    await act.mutateAsync(() => post("/api/v2/variables", { body: { key, value, description } }));
  };
  return (
    <tr>
      <td>
        <b className="name">{key}</b>
      </td>
      <td>
        <Value text={value ?? ""} />
      </td>
      <td>
        <Value text={description || "–"} isCode={false} />
      </td>
      <td>
        <RowActs needs="edit variable" name={t("Edit Variable {name}", { name: key })} edit={edit}>
          <Act needs="delete variable">
            <ConfirmButton
              label={t("Delete")}
              name={t("Delete Variable {name}", { name: key })}
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
                    showToast(t("The Variable {name} is deleted.", { name: key }), isMasked ? undefined : restore),
                  )
              }
            />
          </Act>
        </RowActs>
      </td>
    </tr>
  );
}
