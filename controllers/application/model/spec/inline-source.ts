import type { HelmRepositorySpec } from '#api/flux/helm-repository.js';
import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { FluxApplicationSpec } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { isMetadataHost } from '#controllers/runtime/pure/link-local.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { registryRepository } from '#controllers/runtime/pure/registry-name.js';
import { hashedName } from '#controllers/runtime/pure/short-hash.js';
import { isVersionRange } from '#controllers/runtime/pure/version-range.js';
import type { Violation } from '../child/types.js';

/** A reference to a source, with its namespace. */
export interface SourcePlace {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies a source: in indexes, and in what is recorded of it. */
export function sourceText({ kind, namespace, name }: SourcePlace): string {
  return `${kind}/${namespace}/${name}`;
}

/** The source that a field refers to, by default in the namespace `own`; none in what is no reference. */
export function placesIn(reference: unknown, own = ''): SourcePlace[] {
  if (!isMap(reference)) return [];
  const { kind, name, namespace } = reference;
  if (typeof kind !== 'string' || typeof name !== 'string') return [];
  return [{ kind, name, namespace: typeof namespace === 'string' && namespace !== '' ? namespace : own }];
}

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
function isInRegistry({ repo = '' }: InlineSource): boolean {
  return repo.startsWith(REGISTRY);
}

/** The `oci://` URL of the chart itself: `repo`, or `chart` below it. */
function chartUrlOf({ repo = '', chart }: InlineSource): string {
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

/** A problem of one field, with its name and the way out. */
interface Problem {
  readonly field: keyof InlineSource;
  readonly reason: 'InvalidSource' | 'InvalidVersion' | 'ChartMissing';
  readonly message: string;
}
type Check = (inline: InlineSource) => Problem | undefined;

const OWN_SOURCE = 'create a source of your own and name it in sourceRef';
/** A URL parser would drop some of them without a word. */
const NOT_IN_URL = /[\s\\\p{Cc}]/u;
/** In lower case, as everything that reads the URL compares it. */
const ADDRESS = /^(?:https|oci):\/\//;
/** A parser drops these where they are empty. */
const HAS_QUERY = /[?#]/;
const HAS_LOGIN = /^[^:/]+:\/*[^/?#]*@/;
const CHART = /^[A-Za-z0-9][\w.-]*$/;

function invalid(field: keyof InlineSource, message: string): Problem {
  return { field, reason: 'InvalidSource', message };
}

function urlIn(text: string): URL | undefined {
  return NOT_IN_URL.test(text) || !URL.canParse(text) ? undefined : new URL(text);
}

const repoIsMissing: Check = ({ repo }) =>
  repo === undefined
    ? invalid('repo', 'is missing: set the https:// URL of a Helm repository, or oci://HOST/PATH of a registry')
    : undefined;

const chartIsAnArchive: Check = ({ repo = '', chart = '' }) => {
  const field = chart.includes('://') || chart.endsWith('.tgz') ? 'chart' : 'repo';
  if (field === 'repo' && !/\.tgz$/.test(repo)) return undefined;
  return invalid(
    field,
    `is an archive, which Flux cannot fetch: set repo to the Helm repository that lists it, or push it to a registry (helm push)`,
  );
};

/** Never repeats the URL. */
const repoHoldsCredentials: Check = ({ repo = '' }) => {
  const url = urlIn(repo);
  if (url === undefined || !HAS_LOGIN.test(repo)) return undefined;
  return invalid('repo', 'contains credentials: move them to a Secret and name it in secretRef');
};

const repoIsNotAnAddress: Check = ({ repo = '' }) => {
  const url = urlIn(repo);
  const scheme = url?.protocol;
  if (scheme === 'http:') {
    return invalid('repo', `is plain HTTP, which nothing protects: use https://, or ${OWN_SOURCE}`);
  }
  if (url === undefined || url.hostname === '' || !ADDRESS.test(repo)) {
    return invalid('repo', 'is not a URL that begins with https:// or oci://');
  }
  if (!HAS_QUERY.test(repo)) return undefined;
  return invalid('repo', `has a query or fragment, which may hold credentials: remove it, or ${OWN_SOURCE}`);
};

const registryNameIsInvalid: Check = (inline) => {
  if (!isInRegistry(inline) || registryRepository(chartUrlOf(inline)) !== undefined) return undefined;
  const form = 'oci://HOST/REPOSITORY in lower case, with the path of the chart; its tag belongs to version';
  return invalid('repo', inline.chart === undefined ? `is not ${form}` : `with chart is not ${form}`);
};

const hostIsLinkLocal: Check = (inline) => {
  const { repo = '' } = inline;
  // The parser reads numbers as addresses only in URLs that it knows.
  const url = urlIn(repo.replace(/^oci:/, 'https:'));
  if (url === undefined || !isMetadataHost(url.hostname)) return undefined;
  return invalid('repo', 'is a link-local address or a metadata server, which no inline source may reach');
};

const chartIsNotOne: Check = (inline) => {
  const { chart } = inline;
  if (isInRegistry(inline)) return undefined;
  if (chart === undefined) {
    return { field: 'chart', reason: 'ChartMissing', message: 'is missing: set the name of a chart in the repository' };
  }
  return CHART.test(chart) ? undefined : invalid('chart', 'is not the name of a chart');
};

const versionIsNoRange: Check = ({ version }) => {
  if (version === undefined || isVersionRange(version)) return undefined;
  const message = `is neither a valid version nor a valid range; use e.g. "1.2.3", "1.x" or ">=1.2 <2", or leave it out for the latest version; for any other tag, ${OWN_SOURCE}`;
  return { field: 'version', reason: 'InvalidVersion', message };
};

const tlsCannotBeSkipped: Check = (inline) => {
  if (inline.insecureSkipTLS !== true) return undefined;
  if (!isInRegistry(inline)) {
    return invalid(
      'insecureSkipTLS',
      'is for registries only, Flux verifies the certificate of every Helm repository: name its authority in caSecretRef',
    );
  }
  if (inline.caSecretRef === undefined) return undefined;
  return invalid('insecureSkipTLS', 'and caSecretRef contradict each other: remove one of them');
};

/** In this order: a later check may rely on the earlier ones. */
const CHECKS: readonly Check[] = [
  chartIsAnArchive,
  repoIsMissing,
  repoHoldsCredentials,
  repoIsNotAnAddress,
  hostIsLinkLocal,
  registryNameIsInvalid,
  chartIsNotOne,
  versionIsNoRange,
  tlsCannotBeSkipped,
];

/** The first problem of the inline source at `path`; undefined if Flux can do what it says. Never throws. */
export function inlineProblem(inline: InlineSource, path: string): Violation | undefined {
  for (const check of CHECKS) {
    const problem = check(inline);
    if (problem !== undefined)
      return { reason: problem.reason, message: `${path}.${problem.field} ${problem.message}` };
  }
  return undefined;
}
