/** What a purge would remove from a cluster. */
export interface PurgePlan {
  /** Name of the context of the kubeconfig. */
  readonly context: string;
  /** URL of its API server. */
  readonly server: string;
  /** Namespaced name of the Deployment; absent if there is none of ours. */
  readonly controller?: string | undefined;
  /** Names of the CRDs that Fairlead installed, with the number of their objects; undefined where nobody knows it. */
  readonly crds: readonly { readonly name: string; readonly objects: number | undefined }[];
  /** Children of Applications, which lose their owner. */
  readonly detached: number;
}

/** `1 object`, `2 objects`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The plan as a user reads it before saying yes. Pure. */
export function purgeLines({ context, server, controller, crds, detached }: PurgePlan): string[] {
  return [
    `--purge removes from ${server} (context ${context}):`,
    ...(controller === undefined
      ? []
      : [`  Deployment ${controller}, its permissions, and its namespace unless others use it`]),
    ...crds.map(
      ({ name, objects }) =>
        `  CRD ${name} with ${objects === undefined ? 'all its objects' : counted(objects, 'object')}`,
    ),
    ...(detached === 0
      ? []
      : [
          `  the owner references of ${detached === 1 ? '1 HelmRelease or Kustomization' : `${detached} HelmReleases and Kustomizations`}`,
        ]),
    'Helm releases and their objects stay.',
  ];
}
