import type { Application } from '#api/v1alpha1/application.js';
import { engineOf } from '#controllers/application/model/spec/flux-spec.js';
import { isMap } from '#lib/plain.js';
import { Refusal } from './refusal.js';

/** What a sync of a Flux Application does. */
export interface SyncRequest {
  /** One install or upgrade, even if nothing changed. */
  readonly isForced: boolean;
}

/** Fields whose meaning Flux has no word for: to ignore them would do something else than was asked for. */
const NOT_FOR_FLUX = ['dryRun', 'revision', 'resources', 'manifests', 'applyOnly'];
/** Two names of one field: what the server of ks-devops reads, and what the console sends. */
const STRATEGIES = ['strategy', 'syncStrategy'];
const WAYS = ['apply', 'hook'];

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 'false';
}

function fieldOf(value: unknown, key: string): unknown {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Reads the body of a sync, which may be missing. Throws a Refusal if it cannot be done as it was asked for, or if the
 * Application is not reconciled at all.
 */
export function syncRequest(application: Application, body: unknown): SyncRequest {
  if (engineOf(application) !== 'fluxcd') {
    throw new Refusal(400, `${application.metadata.name} has kind argocd, which is not reconciled yet`);
  }
  if (body !== undefined && body !== null && !isMap(body)) throw new Refusal(400, 'invalid application sync request');
  const unknown = NOT_FOR_FLUX.filter((field) => isSaid(fieldOf(body, field)));
  if (unknown.length > 0) throw new Refusal(400, `Flux cannot sync with ${unknown.join(', ')}`);
  const forces = STRATEGIES.flatMap((strategy) =>
    WAYS.map((way) => fieldOf(fieldOf(fieldOf(body, strategy), way), 'force')),
  );
  return { isForced: forces.some(isSaid) };
}
