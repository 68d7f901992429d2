/** The answers of the API that the page reads, by the names of its documents. */

import type { components } from "./schema";

type Schemas = components["schemas"];
export type Dag = Schemas["DAGResponse"];
export type DagList = Schemas["DAGCollectionResponse"];
export type DagDetails = Schemas["DAGDetailsResponse"];
export type DagRun = Schemas["DAGRunResponse"];
export type DagRunList = Schemas["DAGRunCollectionResponse"];
export type TaskInstance = Schemas["TaskInstanceResponse"];
export type TaskInstanceList = Schemas["TaskInstanceCollectionResponse"];
export type ImportErrorList = Schemas["ImportErrorCollectionResponse"];
export type Explanation = Schemas["ExplanationAnswer"];
export type NextRuns = Schemas["NextRunsAnswer"];
export type Grid = Schemas["GridAnswer"];
export type GridCell = Grid["cells"][number][number];
export type Work = Schemas["WorkAnswer"];
export type Services = Schemas["ServicesAnswer"];
export type TaskLog = Schemas["TaskInstancesLogResponse"];
