import type { Target } from './facts.js';
import { textOf } from './layers.js';

/**
 * Text of everything that is deployed to one destination: the model's notion of a revision there. Two revisions with
 * the same content mean the same to a destination. Fields that only say how to deploy, such as `interval` and
 * `timeout`, don't belong to the content.
 */
export type Content = string;

/** The chart and values of a HelmRelease. The values are those of its spec, after all layers were merged. */
export interface ChartContent {
  readonly chart: string;
  readonly version?: string | undefined;
  readonly values?: object | undefined;
}

/** The fields of a Kustomization that change its objects, besides the files that its target names. */
export interface FilesContent {
  readonly patches?: unknown;
  readonly images?: unknown;
  readonly components?: unknown;
  readonly postBuild?: unknown;
}

/** The content of a HelmRelease: an adapter passes `chart`, `version` and `values` of its spec. */
export function chartContent({ chart, version = '', values = {} }: ChartContent): Content {
  return textOf({ chart, version, values });
}

/** The content of a Kustomization: an adapter passes these fields of its spec. */
export function filesContent({ patches, images, components, postBuild }: FilesContent): Content {
  return textOf({ patches, images, components, postBuild });
}

/** Name of the chart in a content; empty for files. An engine changes it only by an uninstall. */
export function chartOf(content: Content): string {
  const [{ chart = '' } = {}] = JSON.parse(content) as Partial<ChartContent>[];
  return chart;
}

/** The name of a target of a Kustomization: its source, in which the namespace is always named, and its path. */
export function filesName(source: { kind: string; namespace: string; name: string }, path = './'): string {
  return `${source.kind}/${source.namespace}/${source.name}:${path.replace(/^(\.?\/)?/, './')}`;
}

/** A text that is the same for two targets if and only if they are the same. */
export function keyOf({ kind, cluster, namespace, name, storage }: Target): string {
  return [kind, cluster, namespace, name, storage].join('|');
}
