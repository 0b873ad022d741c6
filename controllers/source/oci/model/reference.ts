import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import { registryRepository, type RegistryRepository } from '#lib/net/registry-name.js';
import { parseVersionRange } from '#lib/semver/version-range.js';
import type { WantedChart } from '../../model/choose-version.js';
import { URL_WITH_CREDENTIALS } from '../../model/urls.js';

/** The artifact that is asked for. */
export type OciTarget =
  | { readonly kind: 'digest'; readonly digest: string }
  | { readonly kind: 'semver'; readonly range: string; readonly filter: string | undefined }
  | { readonly kind: 'tag'; readonly tag: string };

const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** True for the digest of a blob or manifest that can be checked. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** Why `spec.url` names no repository of a registry; undefined when it does. */
export function ociUrlProblem(url: string): string | undefined {
  if (registryRepository(url) !== undefined) return undefined;
  if (/^oci:\/\/[^/]*@/.test(url)) {
    return URL_WITH_CREDENTIALS;
  }
  return 'spec.url is not oci://HOST/REPOSITORY in lower case: tags and digests belong to spec.ref';
}

/** The repository that a valid `spec.url` names. Throws RangeError for one that `ociUrlProblem` reports. */
export function repositoryOf(url: string): RegistryRepository {
  const repository = registryRepository(url);
  if (repository === undefined) throw new RangeError(ociUrlProblem(url));
  return repository;
}

/** Which of `spec.ref` counts: digest before semver before tag, as in Flux; `latest` without any. */
export function ociTarget({ digest = '', semver = '', semverFilter, tag = '' }: NonNullable<OCIRepositorySpec['ref']>) {
  if (digest !== '') return { kind: 'digest', digest } satisfies OciTarget;
  if (semver !== '') return { kind: 'semver', range: semver, filter: semverFilter } satisfies OciTarget;
  return { kind: 'tag', tag: tag === '' ? 'latest' : tag } satisfies OciTarget;
}

/** What is wrong with the field of `spec.ref` that counts; undefined when nothing is. */
export function ociTargetProblem(target: OciTarget): string | undefined {
  const shown = (text: string): string => JSON.stringify(text.slice(0, 200));
  if (target.kind === 'digest' && !isDigest(target.digest)) {
    return `spec.ref.digest ${shown(target.digest)} is not sha256: with 64 hexadecimal digits`;
  }
  if (target.kind === 'semver' && parseVersionRange(target.range) === undefined) {
    return `spec.ref.semver ${shown(target.range)} is not a version range, such as >=1.0.0 <2.0.0`;
  }
  return target.kind === 'tag' && !TAG.test(target.tag) ? `spec.ref.tag ${shown(target.tag)} is not a tag` : undefined;
}

/** The revision of an artifact, as Flux writes it: that of a digest has no tag. */
export function ociRevision(tag: string | undefined, digest: string): string {
  return tag === undefined ? digest : `${tag}@${digest}`;
}

/** The digest in a revision of an OCIRepository. */
export function digestOf(revision: string): string {
  return revision.slice(revision.lastIndexOf('@') + 1);
}

/** Why the `spec.url` of a HelmRepository of type `oci` cannot be used; undefined when it can. Never repeats a password. */
export function registryUrlProblem(url: string): string | undefined {
  const problem = ociUrlProblem(`${url.replace(/\/+$/, '')}/chart`);
  if (problem === undefined || problem === URL_WITH_CREDENTIALS) return problem;
  return 'spec.url is not oci://HOST or oci://HOST/PATH in lower case: for an http(s) repository remove spec.type';
}

/** Where the versions of a chart are, below the URL of a HelmRepository of type `oci`. */
export function chartsPlace(
  url: string,
  { chart, fields }: Pick<WantedChart, 'chart' | 'fields'>,
): { readonly place: RegistryRepository } | { readonly problem: string } {
  const full = `${url.replace(/\/+$/, '')}/${chart}`;
  if (chart !== '' && ociUrlProblem(full) === undefined) return { place: repositoryOf(full) };
  return {
    problem: `${fields.chart} ${JSON.stringify(chart.slice(0, 200))} is not the name of a repository in ${url}`,
  };
}
