import type { Application } from '#api/v1alpha1/application.js';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Kube } from '#runtime/client/kube.js';
import type { CheckSchema } from '#runtime/isolation/schema-check.js';
import type { Rules } from './model/validate.js';

/** What every pass over one kind of template works with. */
export interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly rules: Rules;
  readonly checkSchema: CheckSchema;
  readonly templates: Cache<Template>;
  readonly revisions: Cache<TemplateRevision>;
  readonly applications: Cache<Application>;
}

/** The dependencies, and the context of one reconciliation. */
export interface Pass extends Deps, PassContext {}
