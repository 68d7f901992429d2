/** All primitives of the page in their states, for whoever builds a view: at `/gallery`, which no menu names. */

import { type ReactNode, useState } from "react";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button, IconButton, Segments } from "../../ui/Button";
import { Combobox } from "../../ui/Combobox";
import { Dialog } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { Field, SelectField } from "../../ui/Field";
import { HoverCard, Tooltip } from "../../ui/HoverCard";
import { AgainIcon, CalendarIcon, DeleteIcon, FilterIcon, PauseIcon, RunIcon, SearchIcon } from "../../ui/icons";
import { Menu, MenuGroup, MenuItem } from "../../ui/Menu";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Facet, Pill } from "../../ui/Pill";
import { Popover } from "../../ui/Popover";
import { Sheet } from "../../ui/Sheet";
import { Skeleton } from "../../ui/Skeleton";
import { Switch } from "../../ui/Switch";
import { TabButtons } from "../../ui/Tabs";
import styles from "./gallery.module.css";

const STATES = ["success", "failed", "running", "queued", "up_for_retry", "skipped", null];
const NAMES = ["aggregate", "extract", "load", "report", "validate"];

export function GalleryPage() {
  const [tab, setTab] = useState("list");
  const [isOn, setOn] = useState(true);
  const [task, setTask] = useState("");
  const [opened, setOpened] = useState<"sheet" | "dialog">();
  const close = () => setOpened(undefined);
  return (
    <>
      <PageHeader
        path={<a href="/">{t("Home")}</a>}
        title={t("Gallery")}
        state={<StateBadge state="success" />}
        facts={<span>{t("The primitives of the page, in their states.")}</span>}
        acts={
          <>
            <Button look="primary" icon={RunIcon}>
              {t("Run it …")}
            </Button>
            <Menu name={t("More acts")}>
              <MenuGroup label={t("Runs")}>
                <MenuItem icon={AgainIcon}>{t("Clear all (run all again)")}</MenuItem>
                <MenuItem icon={PauseIcon} disabled why={t("Nothing fits.")}>
                  {t("Pause")}
                </MenuItem>
              </MenuGroup>
              <MenuGroup label={t("Administration")}>
                <MenuItem icon={DeleteIcon} isDangerous>
                  {t("Delete")}
                </MenuItem>
              </MenuGroup>
            </Menu>
          </>
        }
        tabs={
          <TabButtons
            label={t("Views")}
            value={tab}
            choose={setTab}
            options={[
              { value: "list", label: t("List") },
              { value: "graph", label: t("Graph") },
              { value: "code", label: t("Code") },
            ]}
          />
        }
      />
      <Toolbar label={t("Filters")}>
        <Facet label={t("all")} count={1204} isChosen toggle={() => undefined} />
        <Facet label={t("failed")} count={12} state="failed" isChosen={false} toggle={() => undefined} />
        <Popover label={t("Filters")} icon={FilterIcon}>
          <SelectField
            label={t("State")}
            value=""
            onChange={() => undefined}
            options={[{ value: "", label: t("all") }]}
          />
          <Combobox label={t("Task")} value={task} values={NAMES} choose={setTask} />
        </Popover>
        <Segments
          label={t("Order")}
          value={tab}
          choose={setTab}
          options={[
            { value: "list", label: t("List") },
            { value: "graph", label: t("Graph") },
          ]}
        />
      </Toolbar>
      <div className={styles.cards}>
        <Part name="Button">
          <Button look="primary">{t("Save")}</Button>
          <Button>{t("Pause")}</Button>
          <Button look="quiet">{t("Documentation")}</Button>
          <Button look="danger">{t("Delete")}</Button>
          <Button isSmall>{t("Add a note")}</Button>
          <Button disabled why={t("Nothing fits.")}>
            {t("Clear them")}
          </Button>
          <Button isBusy>{t("Save")}</Button>
          <IconButton icon={AgainIcon} label={t("Try again")} />
        </Part>
        <Part name="Switch, Field, Combobox">
          <Switch label={t("active")} checked={isOn} onChange={setOn} showsLabel />
          <Switch label={t("paused")} checked={!isOn} onChange={(on) => setOn(!on)} showsLabel />
          <Switch label={t("none")} checked={false} onChange={() => undefined} disabled showsLabel />
          <Field label={t("Name")} hint={t("part of id or name")}>
            {(control) => <input {...control} placeholder="nightly" />}
          </Field>
          <Field label={t("Name")} fault={t("Give a whole number from 1 on.")}>
            {(control) => <input {...control} defaultValue="x" />}
          </Field>
          <Combobox label={t("Task")} value={task} values={NAMES} choose={setTask} />
        </Part>
        <Part name="Pill, StateBadge">
          {STATES.map((state) => (
            <StateBadge key={state ?? "none"} state={state} />
          ))}
          <Pill>12</Pill>
          <Pill tone="accent">etl</Pill>
          <Pill tone="good">{t("live")}</Pill>
          <Pill tone="warn">{t("late")}</Pill>
          <Pill tone="bad">{t("failed")}</Pill>
        </Part>
        <Part name="Tooltip, HoverCard">
          <Tooltip text={t("Absolute times are shown here")}>
            <Button>{t("in {time}", { time: "20 min" })}</Button>
          </Tooltip>
          <HoverCard label="nightly" content={() => <b>nightly</b>}>
            <a href="/dags">nightly</a>
          </HoverCard>
        </Part>
        <Part name="Sheet, Dialog, Toast">
          <Button onClick={() => setOpened("sheet")}>{t("Open the sheet")}</Button>
          <Button onClick={() => setOpened("dialog")}>{t("Open the dialog")}</Button>
          <Button onClick={() => showToast(t("Undone."))}>{t("Show a message")}</Button>
        </Part>
        <Part name="EmptyState, Skeleton">
          <EmptyState
            icon={CalendarIcon}
            title={t("This DAG has had no run yet.")}
            acts={<Button>{t("Run it …")}</Button>}
          >
            <p>{t("A backfill makes runs for dates of the past. Each date of the schedule is a slot.")}</p>
          </EmptyState>
          <Skeleton what={t("the runs")} />
        </Part>
        <Part name="Table">
          <table>
            <thead>
              <tr>
                <th>{t("Task")}</th>
                <th>{t("State")}</th>
                <th>{t("Duration")}</th>
              </tr>
            </thead>
            <tbody>
              {NAMES.slice(0, 3).map((name, at) => (
                <tr key={name}>
                  <td>
                    <a href="/tasks">{name}</a>
                  </td>
                  <td>
                    <StateBadge state={STATES[at]} />
                  </td>
                  <td>12.{at} s</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Part>
      </div>
      <Sheet title="extract" aside={<StateBadge state="failed" />} open={opened === "sheet"} close={close}>
        <EmptyState icon={SearchIcon} title={t("Nothing fits.")} />
      </Sheet>
      <Dialog
        title={t("Delete the run")}
        open={opened === "dialog"}
        close={close}
        acts={
          <>
            <Button onClick={close}>{t("Keep it")}</Button>
            <Button look="danger" onClick={close}>
              {t("Delete")}
            </Button>
          </>
        }
      >
        {t("Nothing fits.")}
      </Dialog>
    </>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className={styles.card} aria-label={name}>
      <h2>{name}</h2>
      <div className={styles.parts}>{children}</div>
    </section>
  );
}
