import { createHash } from 'node:crypto';

/** Helm refuses longer release names: they end up in labels with a suffix. */
const MAX_LENGTH = 53;
const KEPT = 40;
const HASH_LENGTH = 12;

/** A name that Helm accepts: longer ones keep 40 characters and gain 12 of their sha256, as Flux cuts them. */
export function shortenReleaseName(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, KEPT)}-${hash}`;
}

/** The release name of a HelmRelease: `releaseName`, else `[<targetNamespace>-]<name>`. */
export function releaseNameOf(release: {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly releaseName?: string | undefined; readonly targetNamespace?: string | undefined };
}): string {
  const { releaseName, targetNamespace } = release.spec;
  if (releaseName !== undefined && releaseName !== '') return shortenReleaseName(releaseName);
  const prefix = targetNamespace === undefined || targetNamespace === '' ? '' : `${targetNamespace}-`;
  return shortenReleaseName(prefix + release.metadata.name);
}
