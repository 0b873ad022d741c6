import pick from 'lodash/pick.js';
import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { KubeObject } from '#api/meta.js';
import { backendOf } from './backends/index.js';

type Handled = Pick<ApplicationStatus, 'lastHandledReconcileAt' | 'lastHandledForceAt' | 'lastHandledResetAt'>;
type Annotations = Readonly<Record<string, string>>;

/** The request annotations, and the status fields with the last forwarded value. */
const HANDLED_FIELDS: Readonly<Record<string, keyof Handled>> = {
  [REQUESTED_AT_ANNOTATION]: 'lastHandledReconcileAt',
  [FORCE_AT_ANNOTATION]: 'lastHandledForceAt',
  [RESET_AT_ANNOTATION]: 'lastHandledResetAt',
};

/** The requests on the Application that were not forwarded yet. */
export function newRequests({ metadata, status }: Application): Annotations {
  const asked = Object.entries(HANDLED_FIELDS).flatMap(([annotation, field]) => {
    const value = metadata.annotations?.[annotation];
    return value === undefined || value === '' || value === status?.[field] ? [] : [[annotation, value] as const];
  });
  return Object.fromEntries(asked);
}

/** The status fields for these requests, so that each is forwarded once. */
export function handledBy(requests: Annotations): Handled {
  const pairs = Object.entries(requests).flatMap(([annotation, value]) => {
    const field = HANDLED_FIELDS[annotation];
    return field === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(pairs);
}

function missing({ metadata }: KubeObject, wanted: Annotations): Annotations {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => metadata.annotations?.[key] !== value));
}

/** The requests that a child supports and does not have yet. */
export function requestsForChild(requests: Annotations, child: KubeObject): Annotations {
  return missing(child, pick(requests, backendOf(child).requests));
}

/** The requests that a source does not have yet: only requestedAt. */
export function requestsForSource(requests: Annotations, source: KubeObject): Annotations {
  return missing(source, pick(requests, REQUESTED_AT_ANNOTATION));
}
