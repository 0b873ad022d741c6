import type { Application } from '#api/v1alpha1/application.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Kube } from '#runtime/client/kube.js';
import type { CheckSchema } from '#runtime/isolation/schema-check.js';
import type { Identities } from '../cluster/identities.js';
import type { ReadReferences } from '../cluster/references.js';
import type { Child, Entry, Rules } from './model/child/types.js';
import type { Policy } from './model/policy/policy.js';
import type { Absences } from './absences.js';
import type { AwaitedTargets, CountedRemovals, ProvenTargets, Reservations, Unmatched } from './memory.js';
import type { InventoryCaches } from './clusters.js';
import type { Evaluators } from './evaluators/evaluator.js';
import type { History } from './history.js';
import type { TemplateCaches } from './templates.js';

/** What the controller is told of its process. */
export interface Settings extends Rules {
  /** The namespace that it runs in. */
  readonly controllerNamespace: string;
  /** How long a cluster must not match before its release is removed. Default: 30 s. */
  readonly removalDelayMs?: number | undefined;
  /** For templates of values. Default: `helm`. */
  readonly helmPath?: string | undefined;
  /** Of clusters, as they are probed; default: none is known. */
  readonly identities?: Identities;
  /** Decides about destinations. Default: that of Fairlead. */
  readonly policy?: Policy | undefined;
}

/** Dependencies of every reconciliation. */
export interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly rules: Settings;
  readonly checkSchema: CheckSchema;
  readonly evaluators: Evaluators;
  readonly readReferences: ReadReferences;
  /** Asked before the values of an Application, or of a revision, are made; what it throws is thrown. */
  readonly admit?: (entries: readonly Entry[]) => Promise<void>;
  readonly applications: Cache<Application>;
  readonly reservations: Reservations;
  readonly unmatched: Unmatched;
  readonly counted: CountedRemovals;
  /** Milliseconds of a clock that nobody sets. */
  readonly steadyNow: () => number;
  readonly absences: Absences;
  readonly awaited: AwaitedTargets;
  readonly proven: ProvenTargets;
  /** Of all backends. */
  readonly children: readonly Cache<Child>[];
  /** Metadata only. */
  readonly secrets: Cache<KubeObject>;
  /** HelmCharts: the fields that are read are those of a child. */
  readonly charts: Cache<Child>;
  /** By kind, the sources that are held at one revision: the fields that are read are those of a child. */
  readonly pinnable: ReadonlyMap<string, Cache<Child>>;
  readonly templates: TemplateCaches;
  readonly history: History;
  readonly inventory: InventoryCaches;
  /** Sources that were made for inline ones, by kind: the fields that are read are those of a child. */
  readonly made: ReadonlyMap<string, Cache<Child>>;
  /** Metadata only, by kind. */
  readonly sources: ReadonlyMap<string, Cache<KubeObject>>;
}

/** The dependencies, and the context of one reconciliation. */
export interface Pass extends Deps, PassContext {}
