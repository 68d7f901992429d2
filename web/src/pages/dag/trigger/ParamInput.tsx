/** One param: its label, what it is, its input, and what is wrong with it. */

import { useId } from "react";
import { LazyMarkdown } from "../../../components/LazyMarkdown";
import { cutText, LongText } from "../../../components/LongText";
import { t } from "../../../state/language";
import { formatLocal, parseLocal, zoneName } from "../../../state/zonedTimes";
import { useZone } from "../../../state/times";
import type { ParamField } from "./paramForm";
import styles from "./trigger.module.css";

interface InputProps {
  field: ParamField;
  text: string;
  type: (text: string) => void;
  fault?: string;
}

export function ParamInput({ field, text, type, fault }: InputProps) {
  const id = useId();
  const words = describeLimits(field);
  return (
    <div className="field">
      <label htmlFor={id}>
        <span className="name">{cutText(field.label)}</span>
        {field.label !== field.name && <code className="soft"> {field.name}</code>}
        {field.isRequired && <span className="bad"> {t("(needed)")}</span>}
      </label>
      <Control
        field={field}
        text={text}
        type={type}
        id={id}
        describedBy={`${id}-about ${id}-fault`}
        isWrong={fault !== undefined}
      />
      {field.isMarkdown ? (
        <div id={`${id}-about`} className="soft about">
          <LazyMarkdown text={field.description} />
          {words}
        </div>
      ) : (
        <p id={`${id}-about`} className="soft about">
          {field.description && <LongText text={field.description} />}
          {field.description && words ? " · " : ""}
          {words}
        </p>
      )}
      <p id={`${id}-fault`} className="fault" aria-live="polite">
        {fault ?? ""}
      </p>
    </div>
  );
}

interface ControlProps extends InputProps {
  id: string;
  describedBy: string;
  isWrong: boolean;
}

function Control({ field, text, type, id, describedBy, isWrong }: ControlProps) {
  const zone = useZone();
  const common = { id, "aria-describedby": describedBy, "aria-invalid": isWrong };
  switch (field.kind) {
    case "fixed":
      return (
        <output id={id}>
          <code>{text || "null"}</code>
        </output>
      );
    case "boolean":
      return (
        <input
          type="checkbox"
          {...common}
          checked={text === "true"}
          onChange={(event) => type(String(event.target.checked))}
        />
      );
    case "select":
      return (
        <select {...common} value={text} onChange={(event) => type(event.target.value)}>
          {!field.options.some((one) => writeOption(one.value) === text) && (
            <option value={text}>{text || t("(choose)")}</option>
          )}
          {field.options.map((one) => (
            <option key={writeOption(one.value)} value={writeOption(one.value)}>
              {cutText(one.label, 100)}
            </option>
          ))}
        </select>
      );
    case "choices":
      return <Choices field={field} text={text} type={type} id={id} />;
    case "multiline":
    case "lines":
    case "json":
      return (
        <textarea
          {...common}
          rows={field.kind === "json" ? Math.min(12, text.split("\n").length + 1) : 4}
          value={text}
          spellCheck={false}
          onChange={(event) => type(event.target.value)}
        />
      );
    case "datetime": {
      const shown = formatLocal(text, zone);
      if (text !== "" && shown === "")
        return <input type="text" {...common} value={text} onChange={(event) => type(event.target.value)} />;
      return (
        <span className={styles.withUnit}>
          <input
            type="datetime-local"
            step="1"
            {...common}
            value={shown}
            onChange={(event) =>
              type(event.target.value === "" ? "" : (parseLocal(event.target.value, zone) ?? event.target.value))
            }
          />
          <span className="soft">{zoneName(zone)}</span>
        </span>
      );
    }
    case "date":
    case "time":
      return (
        <input
          type={field.kind}
          step={field.kind === "time" ? 1 : undefined}
          {...common}
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      );
    case "number":
    case "integer":
      return (
        <input
          type="text"
          inputMode={field.kind === "integer" ? "numeric" : "decimal"}
          {...common}
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      );
    default:
      return (
        <>
          <input
            type="text"
            {...common}
            value={text}
            list={field.suggestions.length > 0 ? `${id}-list` : undefined}
            onChange={(event) => type(event.target.value)}
          />
          {field.suggestions.length > 0 && (
            <datalist id={`${id}-list`}>
              {field.suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      );
  }
}

function writeOption(value: unknown): string {
  return value === null ? "" : JSON.stringify(value);
}

/** Several of the values that the param suggests. */
function Choices({
  field,
  text,
  type,
  id,
}: {
  field: ParamField;
  text: string;
  type: (text: string) => void;
  id: string;
}) {
  const chosen = readList(text);
  if (chosen === undefined)
    return <textarea id={id} rows={3} value={text} onChange={(event) => type(event.target.value)} />;
  const keys = chosen.map((one) => JSON.stringify(one));
  const extra = chosen.filter(
    (one) => !field.options.some((option) => JSON.stringify(option.value) === JSON.stringify(one)),
  );
  const options = [...field.options, ...extra.map((value) => ({ value, label: String(value) }))];
  return (
    <div id={id} role="group" aria-label={field.label} className="choices">
      {options.map((option) => {
        const key = JSON.stringify(option.value);
        return (
          <label key={key}>
            <input
              type="checkbox"
              checked={keys.includes(key)}
              onChange={(event) =>
                type(
                  JSON.stringify(
                    event.target.checked
                      ? [...chosen, option.value]
                      : chosen.filter((one) => JSON.stringify(one) !== key),
                  ),
                )
              }
            />{" "}
            <bdi>{cutText(option.label)}</bdi>
          </label>
        );
      })}
    </div>
  );
}

function readList(text: string): unknown[] | undefined {
  try {
    const found: unknown = text === "" ? [] : JSON.parse(text);
    return Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** What the schema says of the values, in words. */
function describeLimits({ schema, kind, isNullable }: ParamField): string {
  const words: string[] = [];
  if (typeof schema.minimum === "number" && typeof schema.maximum === "number")
    words.push(t("{low} to {high}", { low: schema.minimum, high: schema.maximum }));
  else if (typeof schema.minimum === "number") words.push(t("at least {limit}", { limit: schema.minimum }));
  else if (typeof schema.maximum === "number") words.push(t("at most {limit}", { limit: schema.maximum }));
  if (typeof schema.pattern === "string") words.push(t("pattern {pattern}", { pattern: schema.pattern }));
  if (kind === "lines") words.push(t("one value a line"));
  if (kind === "json") words.push("JSON");
  if (isNullable && kind !== "fixed" && kind !== "select") words.push(t("empty means null"));
  return words.join(", ");
}
