import type { Application } from '#api/v1alpha1/application.js';
import {
  APPLICATION_FINALIZER,
  HEALTH_LABEL,
  LAST_REVISION_ANNOTATION,
  READY_NUMBER_LABEL,
  SYNC_LABEL,
  TYPE_LABEL,
  TYPE_LABEL_MISSPELT,
} from '#api/v1alpha1/labels.js';
import type { StatusInput } from './conditions.js';
import { backendFor } from './backends/index.js';
import { healthOf, syncOf, type Health, type Sync } from './health.js';
import { defined } from '../../runtime/pure/defined.js';

/** The parts of an Application's metadata that must be written. */
export interface MetadataChange {
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function differing(live: Record<string, string> | undefined, wanted: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => live?.[key] !== value));
}

/** The values of the labels. */
interface Summary {
  readonly ready: number;
  readonly wanted: number;
  readonly health: Health;
  readonly sync: Sync;
}

function labelsOf(application: Application, { ready, wanted, health, sync }: Summary): Record<string, string> {
  const { kind } = backendFor(application);
  return differing(application.metadata.labels, {
    [TYPE_LABEL]: kind,
    [TYPE_LABEL_MISSPELT]: kind,
    [READY_NUMBER_LABEL]: `${ready}-${wanted}`,
    [HEALTH_LABEL]: health,
    [SYNC_LABEL]: sync,
  });
}

/** A retry after a failure stays Degraded until it succeeds or the Application is changed. */
function steadyHealth({ metadata, status }: Application, health: Health): Health {
  const isSame = status?.observedGeneration === metadata.generation;
  return isSame && health === 'Progressing' && metadata.labels?.[HEALTH_LABEL] === 'Degraded' ? 'Degraded' : health;
}

/** The finalizers with ours added; undefined if it is present. */
export function withFinalizer({ metadata: { finalizers = [] } }: Application): readonly string[] | undefined {
  return finalizers.includes(APPLICATION_FINALIZER) ? undefined : [...finalizers, APPLICATION_FINALIZER];
}

/**
 * The labels and annotations that the console uses, and our finalizer on an Application that is rolled out; undefined
 * if nothing must be written.
 */
export function nextMetadata(
  application: Application,
  { rows, violation }: Pick<StatusInput, 'rows' | 'violation'>,
): MetadataChange | undefined {
  if (rows === undefined) return undefined;
  const [revision] = rows.revisions;
  const sync = violation === undefined ? syncOf(rows) : 'OutOfSync';
  const health = steadyHealth(application, healthOf(rows));
  const labels = labelsOf(application, { ready: rows.ready, wanted: rows.wanted.length, health, sync });
  const annotations = differing(
    application.metadata.annotations,
    revision === undefined ? {} : { [LAST_REVISION_ANNOTATION]: revision },
  );
  const finalizers = violation === undefined ? withFinalizer(application) : undefined;
  const change = {
    ...defined({ finalizers }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}
