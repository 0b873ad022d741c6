import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import { TerminalError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** Keeps a copy `NAME-copy` of every ConfigMap whose name starts with `source`: a whole controller. */
export function mirrorController(context: SetupContext): Controller {
  const configMaps = context.cache<ConfigMap>(configMapResource);
  return {
    name: 'mirror',
    concurrency: 2,
    watches: [
      {
        cache: configMaps,
        toKeys: ({ object: { metadata } }) =>
          metadata.name.startsWith('source') ? [keyOf({ ...metadata, name: metadata.name.replace(/-copy$/, '') })] : [],
      },
    ],
    reconcile: async (key, { signal }) => {
      const ref = parseKey(key);
      const [source, copy] = [configMaps.get(ref), configMaps.get({ ...ref, name: `${ref.name}-copy` })];
      if (source === undefined) {
        if (copy !== undefined) await context.kube.delete(configMapResource, copy.metadata, { signal });
        return {};
      }
      if (source.data?.['bad'] !== undefined) {
        context.events.record(source, 'Warning', 'BadData', 'the key bad is not copied');
        throw new TerminalError('BadData', 'the key bad is not copied');
      }
      const { apiVersion, kind, data = {} } = source;
      if (JSON.stringify(copy?.data ?? {}) === JSON.stringify(data)) return {};
      const wanted: ConfigMap = { apiVersion, kind, metadata: { ...ref, name: `${ref.name}-copy` }, data };
      await context.kube.apply(configMapResource, wanted, { fieldManager: 'mirror', force: true, signal });
      return {};
    },
  };
}
