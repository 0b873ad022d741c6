import type { Hook } from '../model/manifest.js';
import type { ReleaseRecord, ReleaseStatus } from '../model/release.js';
import type { ActionContext, Desired } from './context.js';
import { timestamp } from '../storage.js';

export interface RevisionOptions {
  readonly version: number;
  readonly status: ReleaseStatus;
  readonly description: string;
  /** RFC 3339; absent: now. */
  readonly firstDeployed?: string | undefined;
}

function hooksOf(hooks: readonly Hook[]): { hooks?: Hook[] } {
  return hooks.length === 0 ? {} : { hooks: [...hooks] };
}

/** The record of a new revision. */
export function newRevision(context: ActionContext, desired: Desired, options: RevisionOptions): ReleaseRecord {
  const now = timestamp(context);
  const { chart, values, rendered } = desired;
  return {
    name: context.releaseName,
    info: {
      first_deployed: options.firstDeployed ?? now,
      last_deployed: now,
      description: options.description,
      status: options.status,
      ...(rendered.notes === '' ? {} : { notes: rendered.notes }),
    },
    chart,
    ...(Object.keys(values).length === 0 ? {} : { config: { ...values } }),
    manifest: rendered.manifest,
    ...hooksOf(rendered.hooks),
    version: options.version,
    namespace: context.namespace,
    apply_method: 'ssa',
  };
}
