/** The answers of the API that the page reads, by the names of its documents. */

import type { components } from "./schema";

type Schemas = components["schemas"];
export type DagDetails = Schemas["DAGDetailsResponse"];
export type DagRun = Schemas["DAGRunResponse"];
export type DagRunList = Schemas["DAGRunCollectionResponse"];
export type ListedRun = Schemas["ListedRunAnswer"];
export type TaskInstance = Schemas["TaskInstanceResponse"];
/** The tries of a task instance, each as it was. */
export type TryList = Schemas["TaskInstanceHistoryCollectionResponse"];
export type ImportErrorList = Schemas["ImportErrorCollectionResponse"];
export type Explanation = Schemas["ExplanationAnswer"];
export type NextRuns = Schemas["NextRunsAnswer"];
export type Grid = Omit<Schemas["GridAnswer"], "cells"> & { cells: (number | [number, number][] | null)[][] };
export type GridCell = Grid["cells"][number][number];
export type Work = Schemas["WorkAnswer"];
export type Services = Schemas["ServicesAnswer"];
export type YearCalendar = Schemas["CalendarAnswer"];
export type RunPreview = Schemas["RunPreviewAnswer"];
export type BackfillPreview = Schemas["BackfillPreviewAnswer"];
export type SchedulePreview = Schemas["PreviewAnswer"];
export type DagSettings = Schemas["DagSettingsAnswer"];
export type DagVersionRows = Schemas["DagVersionRowsAnswer"];
export type AuditPage = Schemas["AuditAnswer"];
export type AuditRow = Schemas["AuditRowAnswer"];
export type DagOverview = Omit<Schemas["DagOverviewAnswer"], "next_interval"> & {
  next_interval: [string, string] | null;
};
export type DagOverviews = Omit<Schemas["DagOverviewsAnswer"], "dags"> & { dags: DagOverview[] };
export type FilterChoices = Schemas["FilterChoicesAnswer"];
export type Failures = Schemas["FailuresAnswer"];
export type FailedDag = Schemas["FailedDagAnswer"];
export type Timeline = Schemas["TimelineAnswer"];
export type TimelineGroup = Schemas["TimelineGroupAnswer"];
export type Structure = Omit<Schemas["StructureAnswer"], "edges" | "labels"> & {
  edges: [number, number][];
  labels: [number, number, string][];
};
export type StructureTask = Structure["tasks"][number];
export type OutsideNode = Structure["outside"][number];
export type RunTimeline = Omit<Schemas["RunTimelineAnswer"], "instances" | "attempts"> & {
  instances: [number, number, number, number, number | null, number | null, number | null, string | null][];
  attempts: [number, number, number, number | null, number | null][];
};
