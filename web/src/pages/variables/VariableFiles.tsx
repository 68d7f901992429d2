/** Import and export of Variables as a JSON file: an object of key and value, as Airflow's. */

import { type ChangeEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { get, post } from "../../api/client";
import { t, tn } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { Field, SelectField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { DownloadIcon } from "../../ui/icons";
import { type ImportedVariable, readVariables, writeVariables } from "./variableFile";

export function ExportButton() {
  const save = async () => {
    try {
      const rows = await get("/api/gnomon/v1/operations/variables.list", { query: { show_values: true } });
      const { text, left } = writeVariables(rows);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = "variables.json";
      link.click();
      URL.revokeObjectURL(link.href);
      if (left > 0)
        showToast(
          tn(
            "{count} Variable with a masked value is not in the file.",
            "{count} Variables with masked values are not in the file.",
            left,
          ),
        );
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Button icon={DownloadIcon} onClick={() => void save()}>
      {t("Export")}
    </Button>
  );
}

export function ImportForm({ done }: { done: () => void }) {
  const act = useAct<{ chosen: string[]; left: string[] }>("variables");
  const [variables, setVariables] = useState<ImportedVariable[]>();
  const [problem, setProblem] = useState("");
  const [action, setAction] = useState("fail");
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    const result = file ? readVariables(await file.text()) : { variables: undefined, problem: "" };
    setVariables(result.variables);
    setProblem(result.problem);
  };
  return (
    <FormDialog
      title={t("Import Variables")}
      submit={variables ? tn("Import {count} Variable", "Import {count} Variables", variables.length) : t("Import")}
      close={done}
      send={() =>
        act.mutate(() =>
          post("/api/gnomon/v1/operations/variables.import", { body: { new_variables: variables, action } }),
        )
      }
      isBusy={act.isPending}
      error={problem ? new Error(problem) : act.error}
      disabled={!variables}
      why={t("Choose a file first.")}
    >
      <Field label={t("A JSON file: an object of key and value")}>
        {(control) => (
          <input {...control} type="file" accept=".json,application/json" onChange={(event) => void choose(event)} />
        )}
      </Field>
      <SelectField
        label={t("Variables that exist")}
        value={action}
        onChange={setAction}
        options={[
          { value: "fail", label: t("change nothing at all") },
          { value: "skip", label: t("stay as they are") },
          { value: "overwrite", label: t("get the value of the file") },
        ]}
      />
      {act.data && (
        <p role="status" className="good">
          {tn("{count} Variable was set.", "{count} Variables were set.", act.data.chosen.length)}{" "}
          {act.data.left.length > 0 && t("These stayed as they were: {names}", { names: act.data.left.join(", ") })}
        </p>
      )}
    </FormDialog>
  );
}
