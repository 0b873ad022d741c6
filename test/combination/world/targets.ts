import isEqual from 'lodash/isEqual.js';
import { isMap } from '#lib/plain.js';
import { PINNED_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { chartContent, filesContent, filesName, type Content, type FilesContent } from '../model/content.js';
import type { Place } from './members.js';
import type { MemoryServer } from './server.js';

export interface Chart {
  readonly name: string;
  readonly version: string;
}

/** The chart that a HelmRelease names. */
export function chartOf({ spec }: Child): Chart {
  const template = isMap(spec['chart']) ? spec['chart']['spec'] : {};
  const { chart = '', version = '' } = template as { readonly chart?: string; readonly version?: string };
  return { name: chart, version };
}

/** Returns the content of a child in the words of the model. */
export function contentOf(child: Child): Content {
  const { spec, kind } = child;
  if (kind === 'Kustomization') return filesContent(spec as FilesContent); // as its schema says
  const { name, version } = chartOf(child);
  return chartContent({ chart: name, version, values: spec['values'] as object | undefined }); // as its schema says
}

interface SourceRef {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

type Source = KubeObject & { readonly spec?: { readonly url?: unknown } };

/** The source that users know: of a copy at one commit, the one that it is of. */
function originOf(server: MemoryServer, ref: SourceRef, namespace: string): string {
  const source = server.get(gitRepositoryResource, { name: ref.name, namespace }) as Source | undefined; // of that type
  if (source?.metadata.labels?.[PINNED_SOURCE_LABEL] === undefined) return ref.name;
  const others = server.list(gitRepositoryResource, namespace) as Source[]; // as above
  const origin = others.find(
    ({ metadata, spec }) =>
      metadata.labels?.[PINNED_SOURCE_LABEL] === undefined && isEqual(spec?.url, source.spec?.url),
  );
  return origin?.metadata.name ?? ref.name;
}

/** Where a child deploys to, on the cluster of this UID, as its spec says now. */
export function placeOf(server: MemoryServer, child: Child, cluster: string): Place {
  if (child.kind === 'Kustomization') {
    const {
      path,
      targetNamespace = '',
      sourceRef,
    } = child.spec as {
      readonly path?: string;
      readonly targetNamespace?: string;
      readonly sourceRef?: SourceRef;
    };
    const ref = sourceRef ?? { kind: '', name: '' };
    const namespace = ref.namespace ?? child.metadata.namespace ?? '';
    const name = filesName({ ...ref, namespace, name: originOf(server, ref, namespace) }, path);
    return { kind: 'Kustomization', cluster, namespace: targetNamespace, storageNamespace: '', name };
  }
  const { releaseName, ...rest } = desiredTarget(child as unknown as HelmRelease); // a Child is one, with fewer fields named
  return { kind: 'HelmRelease', cluster, ...rest, name: releaseName };
}
