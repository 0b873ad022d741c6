import { compareVersions, parseVersion, type Version } from '#lib/semver/version.js';

/** A chart whose version says which artifact it came from. */
export interface Tracked {
  /** With the first characters of the digest as build metadata: the same version pushed again is another one. */
  readonly version: string;
  /** Digest of the artifact. */
  readonly digest: string;
}

const SHOWN = 100;
/** The first group is what becomes part of the version. */
const DIGEST = /^[a-z0-9]+:([0-9A-Za-z-]{12})[0-9A-Za-z=_-]*$/;

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN));
}

/** As Masterminds/semver writes it. */
function printVersion({ major, minor, patch, prerelease }: Version, metadata: string): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}+${metadata}`;
}

/**
 * The version of a chart from an artifact with `revision`, `TAG@DIGEST` or `DIGEST`; undefined when the revision holds
 * no digest, as those of a HelmChart. Source: Flux's digest tracking. Never throws.
 */
export function trackDigest(version: string, revision: string): Tracked | { readonly problem: string } | undefined {
  if (!revision.includes(':')) return undefined;
  const at = revision.lastIndexOf('@');
  const [tag, digest] = [revision.slice(0, Math.max(0, at)), revision.slice(at + 1)];
  const known = parseVersion(version);
  if (known === undefined) {
    return { problem: `version ${shown(version)} in Chart.yaml is not a semantic version: correct it and push again` };
  }
  // As in Helm: a tag cannot contain a plus.
  const tagged = parseVersion(tag.replaceAll('_', '+'));
  if (tagged !== undefined && compareVersions(tagged, known) !== 0) {
    return {
      problem: `artifact revision ${shown(tag)} does not match chart version ${shown(version)}: push the chart under the tag of its version, or refer to it by another tag or its digest`,
    };
  }
  const [, start] = DIGEST.exec(digest) ?? [];
  if (start === undefined) return { problem: `artifact revision ${shown(revision)} ends in no digest` };
  return { version: printVersion(known, start), digest };
}
