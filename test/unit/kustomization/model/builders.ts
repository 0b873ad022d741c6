import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import type { Tree } from '#controllers/kustomization/model/tree.js';

type Spec = Partial<Kustomization['spec']>;

export function kustomization(spec: Spec = {}, status: Kustomization['status'] = {}): Kustomization {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'site', namespace: 'team', generation: 2, uid: 'u' },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'fleet' }, ...spec },
    status,
  };
}

export function object(kind: string, name: string, more: Partial<Unstructured['metadata']> = {}): Unstructured {
  return { apiVersion: 'v1', kind, metadata: { name, ...more } };
}

/** A source of these files. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const paths = Object.keys(files);
  const isFolder = (path: string): boolean => path === '' || paths.some((each) => each.startsWith(`${path}/`));
  return {
    isFile: (path) => Object.hasOwn(files, path),
    isFolder,
    names(folder) {
      const start = folder === '' ? '' : `${folder}/`;
      const names = paths
        .filter((each) => each.startsWith(start))
        .map((each) => each.slice(start.length).split('/')[0]);
      return [...new Set(names)].map((name) => name ?? '').sort();
    },
    text: (path, maxBytes) => ((files[path] ?? '').length > maxBytes ? undefined : (files[path] ?? '')),
  };
}
