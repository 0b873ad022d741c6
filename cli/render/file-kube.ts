import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { parseSelector } from '#lib/kube/label-selector.js';

function isOfKind({ apiVersion, kind }: KubeObject, type: ResourceType): boolean {
  const slash = apiVersion.indexOf('/');
  return kind === type.kind && apiVersion.slice(0, Math.max(0, slash)) === type.group;
}

function isOfVersion({ apiVersion }: KubeObject, { version }: ResourceType): boolean {
  return apiVersion.slice(apiVersion.indexOf('/') + 1) === version;
}

/** What a server says of a kind that it has in another version only. */
function notServed({ kind, version }: ResourceType): Error {
  const status = { code: 404, reason: 'NotFound', causes: [] };
  return new TransientError(`the files have ${kind} in another version than ${version}`, { status });
}

/** Reads the objects of files as if a cluster had them, and no others. */
export function kubeOfFiles(objects: readonly KubeObject[]): Pick<Kube, 'get' | 'list'> {
  const found = <T extends KubeObject>(type: ResourceType): T[] => {
    const ofKind = objects.filter((object) => isOfKind(object, type));
    const ofVersion = ofKind.filter((object) => isOfVersion(object, type));
    if (ofKind.length > 0 && ofVersion.length === 0) throw notServed(type);
    return ofVersion as T[]; // the caller names the type, as with a server
  };
  return {
    get: <T extends KubeObject>(
      type: ResourceType,
      { name, namespace }: { name: string; namespace?: string | undefined },
    ) =>
      Promise.resolve(
        found<T>(type).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      ),
    list: <T extends KubeObject>(type: ResourceType, query: Parameters<Kube['list']>[1] = {}) => {
      const { namespace, labelSelector = '' } = query;
      const isSelected = labelSelector === '' ? () => true : parseSelector(labelSelector);
      const isIn = ({ metadata }: KubeObject): boolean => namespace === undefined || metadata.namespace === namespace;
      const items = found<T>(type).filter((each) => isIn(each) && isSelected(each.metadata.labels ?? {}));
      return Promise.resolve({ items, resourceVersion: '' });
    },
  };
}
