import { shortenReleaseName } from '#api/flux/release-name.js';

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
