import type { Application } from '../../../api/v1alpha1/application.js';
import {
  LAST_REVISION_ANNOTATION,
  READY_NUMBER_LABEL,
  TYPE_LABEL,
  TYPE_LABEL_MISSPELT,
} from '../../../api/v1alpha1/labels.js';
import { childKindOf } from './flux-spec.js';
import { revisionsOf } from './status.js';
import type { Row } from './rows.js';

/** Labels and annotations of an Application that differ from what they should be. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function differing(live: Record<string, string> | undefined, wanted: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => live?.[key] !== value));
}

/** Labels of an Application of which `ready` out of `wanted` destinations are Ready. */
function labelsOf(application: Application, ready: number, wanted: number): Record<string, string> {
  const kind = childKindOf(application);
  return differing(application.metadata.labels, {
    [TYPE_LABEL]: kind,
    [TYPE_LABEL_MISSPELT]: kind,
    [READY_NUMBER_LABEL]: `${ready}-${wanted}`,
  });
}

/** The labels before the first pass, when nothing is Ready: written with the finalizer, they cost no request of their own. */
export function firstLabels(application: Application, destinations: number): Record<string, string> {
  return labelsOf(application, 0, destinations);
}

/** What the console filters and shows by; undefined when all of it is there already, or nobody looked at destinations. */
export function nextMarks(application: Application, rows: readonly Row[] | undefined): Marks | undefined {
  if (rows === undefined) return undefined;
  const wanted = rows.filter((row) => row.wanted);
  const ready = wanted.filter(({ state }) => state === 'Ready').length;
  const [revision] = revisionsOf(rows);
  const labels = labelsOf(application, ready, wanted.length);
  const annotations = differing(
    application.metadata.annotations,
    revision === undefined ? {} : { [LAST_REVISION_ANNOTATION]: revision },
  );
  const marks = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return Object.keys(marks).length === 0 ? undefined : marks;
}
