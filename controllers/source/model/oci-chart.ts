import type { RegistryRepository } from '#lib/net/registry-name.js';
import type { WantedChart } from './helm-index.js';
import { ociUrlProblem, repositoryOf } from './oci-reference.js';
import { URL_WITH_CREDENTIALS } from './urls.js';

/** Three numbers, as helm writes versions; with a range nothing else could be meant. */
const EXACT = /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** The tag of an exact version, in which helm writes `_` for `+`; undefined for a range. */
export function chartTag(version: string): string | undefined {
  return EXACT.test(version) ? version.replaceAll('+', '_') : undefined;
}

/** The version that a tag stands for. */
export function chartVersion(tag: string): string {
  return tag.replaceAll('_', '+');
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
