import type { KubeObject } from '../meta.js';
import type { FluxApplicationSpec } from './application-spec.js';
import type { TemplateInUse } from './template.js';

/** What an Application wanted at one time, with its templates merged. */
export interface RevisionContent {
  readonly spec: FluxApplicationSpec;
  /** The templates that were merged, by the path of the entry. */
  readonly templates: Readonly<Record<string, TemplateInUse>>;
}

/** apps/v1 ControllerRevision, as the history of an Application. */
export interface ApplicationRevision extends KubeObject {
  readonly data: RevisionContent;
  /** Counts up from 1. */
  readonly revision: number;
}
