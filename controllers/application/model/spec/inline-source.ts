import type { HelmRepositorySpec } from '#api/flux/helm-repository.js';
import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { FluxApplicationSpec } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { defined } from '#lib/plain.js';
import { hashedName } from '#lib/hash.js';

const DEFAULT_INTERVAL = '10m';
const MAX_NAME = 63;
const REGISTRY = 'oci://';
/** A version of three numbers is a tag; anything else is looked up among all tags. */
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
/** In a registry, a chart is the one layer of this type. */
const CHART_LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' } as const;

/** The Flux source that Fairlead creates for an inline one. */
export type MadeSource =
  | { readonly kind: 'HelmRepository'; readonly spec: HelmRepositorySpec }
  | { readonly kind: 'OCIRepository'; readonly spec: OCIRepositorySpec };

/** True for a source in a registry. */
export function isInRegistry({ repo = '' }: InlineSource): boolean {
  return repo.startsWith(REGISTRY);
}

/** The `oci://` URL of the chart itself: `repo`, or `chart` below it. */
export function chartUrlOf({ repo = '', chart }: InlineSource): string {
  const base = repo.replace(/\/+$/, '');
  return chart === undefined ? base : `${base}/${chart}`;
}

/** True for a version that is no range. */
export function isExactVersion(version: string): boolean {
  return EXACT_VERSION.test(version);
}

/** As Helm writes it: a tag has no plus. Without a version, the highest one. */
function refOf(version = '*'): NonNullable<OCIRepositorySpec['ref']> {
  return isExactVersion(version) ? { tag: version.replaceAll('+', '_') } : { semver: version };
}

/** The source that an inline one stands for; of one that is not valid, whatever comes of it. Never throws. */
export function madeSource(inline: InlineSource, interval = DEFAULT_INTERVAL): MadeSource {
  const { repo = '', version, secretRef, caSecretRef: certSecretRef, insecureSkipTLS: insecure } = inline;
  const access = defined({ secretRef, certSecretRef });
  if (!isInRegistry(inline)) return { kind: 'HelmRepository', spec: { url: repo, interval, ...access } };
  const spec = {
    ...{ url: chartUrlOf(inline), interval, ref: refOf(version), layerSelector: CHART_LAYER },
    ...access,
    ...defined({ insecure: insecure === true ? insecure : undefined }),
  };
  return { kind: 'OCIRepository', spec };
}

/** No more than the host: the rest of a text that is no URL may hold anything. */
function hostIn(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/**
 * The name of a source, by its whole spec: Applications of a namespace that mean the same share one source, and the
 * spec of a source never changes.
 */
export function madeSourceName({ kind, spec }: MadeSource): string {
  return hashedName(`inline-${hostIn(spec.url)}`, canonicalJson([kind, spec]), MAX_NAME);
}

/** True for a source that Fairlead created for inline ones. */
export function isMadeSource({ metadata }: KubeObject): boolean {
  return metadata.labels?.[INLINE_SOURCE_LABEL] !== undefined;
}

/** The name of a chart in a repository, or the last part of its URL. */
function chartNameOf(inline: InlineSource): string {
  return isInRegistry(inline) ? (chartUrlOf(inline).split('/').at(-1) ?? '') : (inline.chart ?? '');
}

function chartOf(inline: InlineSource, interval: string | undefined) {
  const chart = chartNameOf(inline);
  // The version of an artifact is that of its source.
  return isInRegistry(inline) ? { chart } : { chart, ...defined({ version: inline.version, interval }) };
}

/**
 * The same spec with a reference to the source that Fairlead creates, and the chart in it, instead of `source.inline`.
 * Without an inline source, or next to another source, chart or template, it is unchanged: a check reports these.
 */
export function withMadeSource(spec: FluxApplicationSpec): FluxApplicationSpec {
  const { source, config, interval } = spec;
  const { helmRelease } = config;
  const inline = source?.inline;
  if (inline === undefined || source?.sourceRef !== undefined || helmRelease === undefined) return spec;
  if (helmRelease.chart !== undefined || helmRelease.template !== undefined) return spec;
  const made = madeSource(inline, interval);
  const sourceRef = { kind: made.kind, name: madeSourceName(made) };
  const chart = chartOf(inline, interval);
  return { ...spec, source: { sourceRef }, config: { ...config, helmRelease: { ...helmRelease, chart } } };
}
