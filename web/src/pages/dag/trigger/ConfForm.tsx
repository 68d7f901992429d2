/** The params of a DAG as fields in their sections, or as one JSON text. */

import { cutText, LongText } from "../../../components/LongText";
import { t } from "../../../state/language";
import { ParamInput } from "./ParamInput";
import type { ParamField } from "./paramForm";
import type { ConfFormState } from "./useConfForm";
import styles from "./trigger.module.css";

export function ConfForm({ form, serverFaults }: { form: ConfFormState; serverFaults: Record<string, string> }) {
  const read = form.read();
  const problem = form.isRaw ? read.problem : undefined;
  const sections = groupBySection(form.fields);
  return (
    <fieldset>
      <legend>{t("Parameters")}</legend>
      <div className="filters">
        <label>
          <input
            type="radio"
            name="conf-form"
            checked={!form.isRaw}
            disabled={form.fields.length === 0}
            onChange={() => form.show(false)}
          />{" "}
          {t("Form")}
        </label>
        <label>
          <input type="radio" name="conf-form" checked={form.isRaw} onChange={() => form.show(true)} /> JSON
        </label>
        <button type="button" onClick={form.reset}>
          {t("Reset to the defaults")}
        </button>
      </div>
      {form.fields.length === 0 && (
        <p className="soft">
          {t("The DAG declares no params; its tasks may read what you give here as the conf of the run.")}
        </p>
      )}
      {form.isRaw ? (
        <>
          <label className="field">
            <span>{t("Parameters as JSON")}</span>
            <textarea
              rows={10}
              value={form.text}
              onChange={(event) => form.typeRaw(event.target.value)}
              spellCheck={false}
              aria-invalid={problem !== undefined}
              aria-describedby={problem ? "conf-problem" : undefined}
            />
          </label>
          {problem && (
            <p id="conf-problem" className="fault" role="alert">
              {problem}
            </p>
          )}
          {Object.entries(serverFaults).map(([name, fault]) => (
            <p key={name} className="fault">
              <b className="name">{name}</b>: {fault}
            </p>
          ))}
        </>
      ) : (
        [...sections].map(([section, fields]) => (
          <div key={section} role="group" aria-label={cutText(section) || t("Parameters")} className={styles.section}>
            {section && (
              <h3>
                <LongText text={section} />
              </h3>
            )}
            {fields.map((field) => {
              const fault = read.faults[field.name];
              return (
                <ParamInput
                  key={field.name}
                  field={field}
                  text={form.draft.texts[field.name] ?? ""}
                  type={(text) => form.type(field.name, text)}
                  fault={fault ? t(fault.text, fault.values) : serverFaults[field.name]}
                />
              );
            })}
          </div>
        ))
      )}
      {!form.isRaw && Object.keys(form.draft.others).length > 0 && (
        <p className="soft">
          {t("The conf has values that are no params of the DAG; change them as JSON:")}{" "}
          <code>{JSON.stringify(form.draft.others)}</code>
        </p>
      )}
    </fieldset>
  );
}

/** The fields by section, those without one first. */
function groupBySection(fields: ParamField[]): Map<string, ParamField[]> {
  const found = new Map<string, ParamField[]>();
  for (const field of fields.toSorted((a, b) => Number(a.section !== "") - Number(b.section !== ""))) {
    found.set(field.section, [...(found.get(field.section) ?? []), field]);
  }
  return found;
}
