import type { KubeObject } from '#api/meta.js';

interface Entry {
  destination?: { kubeConfig?: { secretRef?: { name?: string } } | null; targetNamespace?: string };
}

interface PlacedApplication extends KubeObject {
  spec?: {
    fluxApp?: {
      spec?: {
        source?: { sourceRef?: { namespace?: string } };
        config?: { helmRelease?: { deploy?: Entry[] } };
      };
    };
  };
}

function fluxSpecOf(application: PlacedApplication) {
  return application.spec?.fluxApp?.spec;
}

function entriesOf(application: PlacedApplication): Entry[] {
  return fluxSpecOf(application)?.config?.helmRelease?.deploy ?? [];
}

/**
 * A sample in the namespace of a demo: what it deploys goes to namespaces whose names begin with it, so that it meets
 * nothing of anybody else. The input is not changed. Pure.
 */
export function placedIn(namespace: string, object: KubeObject): KubeObject {
  const copy = structuredClone<PlacedApplication>(object);
  copy.metadata.namespace = namespace;
  const sourceRef = fluxSpecOf(copy)?.source?.sourceRef;
  if (sourceRef?.namespace !== undefined) sourceRef.namespace = namespace;
  for (const { destination } of entriesOf(copy)) {
    if (destination !== undefined)
      destination.targetNamespace = `${namespace}-${destination.targetNamespace ?? 'default'}`;
  }
  return copy;
}

/** A namespace that an Application deploys to. */
export interface Target {
  /** Name of the Secret with the kubeconfig; absent for the host cluster. */
  readonly secret: string | undefined;
  readonly namespace: string;
}

/** Every namespace that the objects deploy to, once. Pure. */
export function targetsOf(objects: readonly KubeObject[]): Target[] {
  const targets = objects.flatMap((object) =>
    entriesOf(object).map(({ destination }) => ({
      secret: destination?.kubeConfig?.secretRef?.name,
      namespace: destination?.targetNamespace ?? '',
    })),
  );
  return [...new Map(targets.map((target) => [`${target.secret ?? ''}/${target.namespace}`, target])).values()];
}
