import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Requested } from './rollout-request.js';
import { fluxConfig } from './suspend-request.js';

export interface SyncInput {
  readonly application: Application;
  /** A text that no request had before, e.g. the time. */
  readonly at: string;
  /** One install or upgrade of each release, even if nothing changed. */
  readonly force?: boolean | undefined;
  /** Counters of failures begin again. */
  readonly reset?: boolean | undefined;
}

/** A child, as far as it says which requests it handled. */
export interface Handling extends KubeObject {
  readonly spec?: { readonly suspend?: boolean };
  readonly status?: { readonly lastHandledReconcileAt?: string };
}

/** What asks for it, in Flux's own words. */
export function syncAnnotations({ at, force, reset }: Omit<SyncInput, 'application'>): Record<string, string> {
  return {
    [REQUESTED_AT_ANNOTATION]: at,
    ...(force === true ? { [FORCE_AT_ANNOTATION]: at } : {}),
    ...(reset === true ? { [RESET_AT_ANNOTATION]: at } : {}),
  };
}

/** The annotations that reconcile an Application, its source and its children now. Never throws. */
export function syncRequest({ application, at, force, reset }: SyncInput): Requested {
  const found = fluxConfig(application);
  if ('refused' in found) return found;
  const { name } = application.metadata;
  if (found.config.suspend === true) return { refused: `it is suspended: \`fairlead resume ${name}\` first` };
  const annotations = syncAnnotations({ at, force, reset });
  const how = force === true ? ', and each release is installed or upgraded, even if nothing changed' : '';
  return { annotations, done: `its source and its children are reconciled now${how}` };
}

/** True for the request, and for a later one of somebody else, which takes its place. */
function isSince(handled: string | undefined, at: string): boolean {
  return handled === at || Date.parse(handled ?? '') > Date.parse(at);
}

/** True when the request has reached the Application and each of its children that is not suspended. */
export function isHandled({ status }: Application, children: readonly Handling[], at: string): boolean {
  const isOpen = ({ spec, status: own }: Handling): boolean =>
    spec?.suspend !== true && !isSince(own?.lastHandledReconcileAt, at);
  return isSince(status?.lastHandledReconcileAt, at) && !children.some(isOpen);
}
