import pick from 'lodash/pick.js';
import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { KubeObject } from '#api/meta.js';
import { backendOf } from './backends/index.js';

type Handled = Pick<ApplicationStatus, 'lastHandledReconcileAt' | 'lastHandledForceAt' | 'lastHandledResetAt'>;
type Annotations = Readonly<Record<string, string>>;

/** What can be asked for once, and where the status says which value was passed on last. */
const HANDLED_FIELDS: Readonly<Record<string, keyof Handled>> = {
  [REQUESTED_AT_ANNOTATION]: 'lastHandledReconcileAt',
  [FORCE_AT_ANNOTATION]: 'lastHandledForceAt',
  [RESET_AT_ANNOTATION]: 'lastHandledResetAt',
};

/** The annotations by which a user asks the Application for something that was not passed on yet. */
export function newRequests({ metadata, status }: Application): Annotations {
  const asked = Object.entries(HANDLED_FIELDS).flatMap(([annotation, field]) => {
    const value = metadata.annotations?.[annotation];
    return value === undefined || value === '' || value === status?.[field] ? [] : [[annotation, value] as const];
  });
  return Object.fromEntries(asked);
}

/** The fields of the status that remember these requests, so that they are passed on once. */
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

/** What of the requests a child still lacks, as far as they mean something to it. */
export function requestsForChild(requests: Annotations, child: KubeObject): Annotations {
  return missing(child, pick(requests, backendOf(child).requests));
}

/** What of the requests a source still lacks: it can only be asked to look now. */
export function requestsForSource(requests: Annotations, source: KubeObject): Annotations {
  return missing(source, pick(requests, REQUESTED_AT_ANNOTATION));
}
