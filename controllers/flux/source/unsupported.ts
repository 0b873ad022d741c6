import { bucketResource } from '#api/flux/bucket.js';
import type { ResourceType } from '#api/meta.js';
import type { Controller, Permission, SetupContext } from '../../runtime/controller.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import { keyOf, parseKey } from '../../runtime/pure/keys.js';
import { notSupported } from './model/not-supported.js';
import { failed } from './model/status.js';
import type { Source } from './model/types.js';
import { isWorthAPass } from '../shared/changes.js';
import { writeStatus } from './pass.js';

/** Kinds whose CRDs come with the engine, so that Flux can take over, and what to use instead. */
const KINDS: readonly (readonly [type: ResourceType, wayOut: string])[] = [
  [bucketResource, 'use a GitRepository or an OCIRepository'],
];

const plurals = KINDS.map(([{ plural }]) => plural);

/** Permissions on the host cluster. */
export const unsupportedPermissions: readonly Permission[] = [
  { group: bucketResource.group, resources: plurals, verbs: ['get', 'list', 'watch'] },
  {
    group: bucketResource.group,
    resources: plurals.map((plural) => `${plural}/status`),
    verbs: ['get', 'patch', 'update'],
  },
];

function controllerOf(context: SetupContext, type: ResourceType, wayOut: string): Controller {
  const cache = context.cache<Source>(type, { optional: true });
  const { reason, message } = notSupported(`the kind ${type.kind}`, wayOut);
  return {
    name: type.kind.toLowerCase(),
    concurrency: 1,
    watches: [{ cache, toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []) }],
    reconcile: async (key) => {
      const object = cache.get(parseKey(key));
      if (object === undefined || object.metadata.deletionTimestamp !== undefined || object.spec.suspend === true) {
        return {};
      }
      const now = { generation: object.metadata.generation ?? 0, now: timestamp(context.now()) };
      const next = failed(object.status ?? {}, now, { reason, message, outlook: 'stalled' });
      await writeStatus(context, type, object, next);
      return {};
    },
  };
}

/** Reports on each object of a kind that only Flux fetches that it is not supported, and does nothing else. */
export function unsupportedSourceControllers(context: SetupContext): Controller[] {
  return KINDS.map(([type, wayOut]) => controllerOf(context, type, wayOut));
}
