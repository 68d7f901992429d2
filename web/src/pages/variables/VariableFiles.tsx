/** Import and export of Variables as a JSON file: an object of key and value, as Airflow's. */

import { type ChangeEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { get, post } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { type ImportedVariable, readVariables, writeVariables } from "./variableFile";

export function ExportButton() {
  const [said, setSaid] = useState("");
  const save = async () => {
    try {
      const rows = await get("/api/gnomon/v1/operations/variables.list", { query: { show_values: true } });
      const { text, left } = writeVariables(rows);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = "variables.json";
      link.click();
      URL.revokeObjectURL(link.href);
      setSaid(
        left > 0
          ? tn(
              "{count} Variable with a masked value is not in the file.",
              "{count} Variables with masked values are not in the file.",
              left,
            )
          : "",
      );
    } catch (error) {
      setSaid(String(error instanceof Error ? error.message : error));
    }
  };
  return (
    <>
      <button type="button" onClick={() => void save()}>
        {t("Export")}
      </button>
      <span role="status" className="soft">
        {said}
      </span>
    </>
  );
}

export function ImportForm({ done }: { done: () => void }) {
  const act = useAct<{ chosen: string[]; left: string[] }>("variables");
  const [found, setFound] = useState<ImportedVariable[]>();
  const [problem, setProblem] = useState("");
  const [action, setAction] = useState("fail");
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    const result = file ? readVariables(await file.text()) : { variables: undefined, problem: "" };
    setFound(result.variables);
    setProblem(result.problem);
  };
  return (
    <section className="form" aria-label={t("Import Variables")}>
      <h2>{t("Import Variables")}</h2>
      <label>
        {t("A JSON file: an object of key and value")}{" "}
        <input type="file" accept=".json,application/json" onChange={(event) => void choose(event)} />
      </label>
      <label>
        {t("Variables that exist")}{" "}
        <select value={action} onChange={(event) => setAction(event.target.value)}>
          <option value="fail">{t("change nothing at all")}</option>
          <option value="skip">{t("stay as they are")}</option>
          <option value="overwrite">{t("get the value of the file")}</option>
        </select>
      </label>
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      {act.error && <Refusal error={act.error} />}
      {act.data && (
        <p role="status">
          {tn("{count} Variable was set.", "{count} Variables were set.", act.data.chosen.length)}{" "}
          {act.data.left.length > 0 && t("These stayed as they were: {names}", { names: act.data.left.join(", ") })}
        </p>
      )}
      <div className="acts">
        <button
          type="button"
          disabled={!found || act.isPending}
          onClick={() =>
            act.mutate(() =>
              post("/api/gnomon/v1/operations/variables.import", { body: { new_variables: found, action } }),
            )
          }
        >
          {found ? tn("Import {count} Variable", "Import {count} Variables", found.length) : t("Import")}
        </button>
        <button type="button" onClick={done}>
          {t("Close")}
        </button>
      </div>
    </section>
  );
}
