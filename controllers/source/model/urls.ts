import { INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import type { HelmRepository, Source } from './source.js';

/** The message for a URL that contains a login; never with the URL itself. */
export const URL_WITH_CREDENTIALS =
  'spec.url contains credentials: move them to a Secret and name it in spec.secretRef';

/** Parses a URL; undefined if it has none of `protocols` (with colon), or no host. */
function urlOf(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && protocols.includes(url.protocol) && url.hostname !== '' ? url : undefined;
}

function hasSecret(url: URL): boolean {
  return url.password !== '' || (url.protocol !== 'ssh:' && url.username !== '');
}

/**
 * Where git, curl, ssh and this process read one and the same host, which is plain ASCII. The path is looked at as git
 * decodes it for ssh: it takes a bracket there for the end of the host.
 */
const GIT_URL = /^(?:https?|ssh):\/\/(?:\w[\w.+-]*@)?(?:\w[\w.-]*|\[[\da-fA-F:.]+\])(?::\d+)?(\/[^\\\s\p{Cc}]*)?$/u;
const NOT_IN_PATH = /[[\]\p{Cc}]/u;

function isForGit(text: string): boolean {
  const [found, path = ''] = GIT_URL.exec(text) ?? [];
  try {
    return found !== undefined && !NOT_IN_PATH.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/** Why a GitRepository's `spec.url` cannot be used; undefined when it can. Never repeats a password. */
export function gitUrlProblem(text: string): string | undefined {
  const url = urlOf(text, ['http:', 'https:', 'ssh:']);
  if (url !== undefined && hasSecret(url)) return URL_WITH_CREDENTIALS;
  if (url !== undefined && isForGit(text)) return undefined;
  return 'spec.url is not an http, https or ssh URL: write e.g. https://host/path or ssh://git@host/path, not git@host:path';
}

/** A URL without a problem as git is given it: the host is written as it was read here. */
export function gitUrl(text: string): string {
  return new URL(text).href;
}

/** Why a HelmRepository's `spec.url` cannot be used; undefined when it can. */
export function helmUrlProblem(text: string): string | undefined {
  const url = urlOf(text, ['http:', 'https:']);
  if (url === undefined) return 'spec.url is not an http or https URL: for an OCI registry set spec.type to oci';
  return hasSecret(url) ? URL_WITH_CREDENTIALS : undefined;
}

/** `repositoryUrl` as a folder, so that relative URLs are looked up in it. */
function folderOf(repositoryUrl: string): URL {
  const url = new URL(repositoryUrl);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** Where the index of a Helm repository is; a query (access token) is kept. */
export function indexUrl(repositoryUrl: string): string {
  const url = folderOf(repositoryUrl);
  url.pathname += 'index.yaml';
  return url.href;
}

/**
 * Where a chart is: `reference` of the index, absolute or relative to the repository. Undefined when it is not http(s).
 */
export function chartUrl(repositoryUrl: string, reference: string): string | undefined {
  const base = folderOf(repositoryUrl);
  if (!URL.canParse(reference, base.href)) return undefined;
  const url = new URL(reference, base);
  if (!URL.canParse(reference) && url.search === '') url.search = base.search;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/**
 * True when a login that `asked` was shown may be shown to `next`: same scheme, host and port, or the same host that now
 * uses TLS.
 */
export function sharesCredentials(asked: string, next: string): boolean {
  const [from, to] = [new URL(asked), new URL(next)];
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade || from.origin === to.origin;
}

/** True when a submodule at `next` may be asked for with what opened the repository at `asked`: one server, one way. */
export function isSameServer(asked: string, next: string): boolean {
  const [from, to] = [new URL(asked), new URL(next)];
  return from.protocol === to.protocol && from.host === to.host;
}

/** A URL for messages: without credentials and query. */
export function printableUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password, url.search] = ['', '', ''];
  return url.href;
}

/**
 * The only host that may be link-local: `host`, if the spec of an object names it. A repository without an object stands
 * for a URL that somebody wrote into a chart; and who writes an Application need not have the right to create sources.
 */
export function namedHost({ metadata }: Source, host: string): string {
  const isInline = metadata.labels?.[INLINE_SOURCE_LABEL] !== undefined;
  return metadata.uid === undefined || isInline ? '' : host;
}

/** True when the charts of a repository are artifacts of an OCI registry. */
export function isRegistry({ spec }: HelmRepository): boolean {
  return spec.type === 'oci' || spec.url.startsWith('oci://');
}
