import type { Application } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { isMetadataHost } from '#lib/net/link-local.js';
import { registryRepository } from '#lib/net/registry-name.js';
import { isVersionRange } from '#lib/semver/version-range.js';
import type { Violation } from '../child/types.js';
import { type ApplicationCheck, firstFound } from '../child/verdicts.js';
import { CONFIG_PATH, configOf, INLINE_PATH, inlineOf, SOURCE_PATH, sourceOf, statedSpecOf } from './flux-spec.js';
import { chartUrlOf, isInRegistry } from './inline-source.js';

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

/** @internal The first problem of the inline source at `path`; undefined if Flux can do what it says. Never throws. */
export function inlineProblem(inline: InlineSource, path: string): Violation | undefined {
  const problem = firstFound(CHECKS, (check) => check(inline));
  return problem && { reason: problem.reason, message: `${path}.${problem.field} ${problem.message}` };
}

const fluxAppIsMissing: ApplicationCheck = (application) => {
  if (application.spec.fluxApp !== undefined) return undefined;
  return { reason: 'ConfigMissing', message: 'spec.fluxApp is missing: an Application of kind fluxcd needs it' };
};

const configIsNotOne: ApplicationCheck = (application) => {
  const config = configOf(application);
  const helm = config?.helmRelease !== undefined;
  const kustomize = config?.kustomization !== undefined;
  if (helm && kustomize) {
    const message = `${CONFIG_PATH} has both helmRelease and kustomization: remove one of them`;
    return { reason: 'ConfigAmbiguous', message };
  }
  if (helm || kustomize) return undefined;
  const message = `${CONFIG_PATH} has neither helmRelease nor kustomization: set one of them`;
  return { reason: 'ConfigMissing', message };
};

/** It names a source and its chart: nothing else may. */
const inlineIsNotAlone: ApplicationCheck = (application) => {
  const { source, config } = statedSpecOf(application) ?? {};
  const { chart, template } = config?.helmRelease ?? {};
  if (source?.inline === undefined) return undefined;
  const others = [
    ...(source.sourceRef === undefined ? [] : [`${SOURCE_PATH}.sourceRef`]),
    ...(chart === undefined ? [] : [`${CONFIG_PATH}.helmRelease.chart`]),
    ...(template === undefined ? [] : [`${CONFIG_PATH}.helmRelease.template`]),
  ];
  if (others.length === 0) return undefined;
  const message = `${INLINE_PATH} has source and chart, so ${others.join(' and ')} cannot be set as well: keep one of them`;
  return { reason: 'SourceAmbiguous', message };
};

const inlineHasNoFiles: ApplicationCheck = (application) => {
  if (inlineOf(application) === undefined || statedSpecOf(application)?.config.helmRelease !== undefined)
    return undefined;
  const message = `${INLINE_PATH} is a Helm chart, without files for ${CONFIG_PATH}.kustomization: use sourceRef, or config.helmRelease`;
  return { reason: 'SourceUnsuitable', message };
};

const inlineIsInvalid: ApplicationCheck = (application) => {
  const inline = inlineOf(application);
  return inline === undefined ? undefined : inlineProblem(inline, INLINE_PATH);
};

/** The first checks of every Application for Flux. */
export const FORM_CHECKS: readonly ApplicationCheck[] = [
  fluxAppIsMissing,
  configIsNotOne,
  inlineIsNotAlone,
  inlineHasNoFiles,
  inlineIsInvalid,
];

/** A template brings its own source. */
type UsesSource = (application: Application) => boolean;

export function sourceIsMissing(usesSource: UsesSource): ApplicationCheck {
  return (application) => {
    if (sourceOf(application) !== undefined || !usesSource(application)) return undefined;
    const message = `${SOURCE_PATH}.sourceRef is missing: set the source of the chart or files, or inline`;
    return { reason: 'SourceMissing', message };
  };
}

export function sourceIsElsewhere(usesSource: UsesSource): ApplicationCheck {
  return (application, { allowCrossNamespace }) => {
    const source = sourceOf(application);
    const own = application.metadata.namespace;
    if (!usesSource(application)) return undefined;
    if (allowCrossNamespace || source?.namespace === undefined || source.namespace === own) return undefined;
    const object = `${source.kind} ${source.namespace}/${source.name}`;
    const message = `${SOURCE_PATH}.sourceRef.namespace: ${object} is in another namespace, which --no-cross-namespace-refs forbids; create a source in ${own ?? 'the same namespace'}`;
    return { reason: 'AccessDenied', message };
  };
}
