import { parseVersion } from '#lib/semver/version.js';
import { commitOf } from './git-reference.js';
import type { HelmChart } from './types.js';

/** Characters of a source's revision that make it into the version. */
const SHORT_REVISION = 12;

/**
 * Build metadata of the packaged chart, as Flux writes it: a piece of the source's revision when any new one is to be
 * followed, the generation when values files are merged, so that whoever uses the chart sees the change. Empty: none.
 */
export function versionMetadata({ metadata, spec }: HelmChart, sourceRevision: string): string {
  const follows = spec.reconcileStrategy === 'Revision' && spec.sourceRef.kind !== 'HelmRepository';
  const merges = (spec.valuesFiles ?? []).length > 0;
  const parts = [
    ...(follows ? [commitOf(sourceRevision).slice(0, SHORT_REVISION)] : []),
    ...(merges ? [String(metadata.generation ?? 0)] : []),
  ];
  return parts.join('.');
}

/** `version` with other build metadata; unchanged without any. Undefined when it is no version. */
export function withMetadata(version: string, metadata: string): string | undefined {
  const parsed = parseVersion(version);
  if (parsed === undefined || metadata === '') return parsed === undefined ? undefined : version;
  const { major, minor, patch, prerelease } = parsed;
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}+${metadata}`;
}

/** How Flux words what became of a chart. */
export function chartMessage(chart: {
  readonly action: 'pulled' | 'packaged';
  readonly name: string;
  readonly version: string;
  readonly valuesFiles: readonly string[];
}): string {
  const { action, name, version, valuesFiles } = chart;
  const merged = valuesFiles.length === 0 ? '' : ` and merged values files [${valuesFiles.join(' ')}]`;
  return `${action} '${name}' chart with version '${version}'${merged}`;
}
