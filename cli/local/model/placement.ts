import type { KubeObject } from '#api/meta.js';

interface Entry {
  destination?: { kubeConfig?: { secretRef?: { name?: string } } | null; targetNamespace?: string };
}

interface DeployingApplication extends KubeObject {
  spec?: { fluxApp?: { spec?: { config?: { helmRelease?: { deploy?: Entry[] } } } } };
}

function movedToHost(entry: Entry, secrets: readonly string[]): Entry {
  const { kubeConfig, targetNamespace = 'default' } = entry.destination ?? {};
  const member = kubeConfig?.secretRef?.name;
  if (member === undefined || secrets.includes(member)) return entry;
  const suffix = member.replace(/-kubeconfig$/, '');
  return { ...entry, destination: { targetNamespace: `${targetNamespace}-${suffix}` } };
}

function memberOf({ destination }: Entry): string | undefined {
  return destination?.kubeConfig?.secretRef?.name;
}

/** For each member that no entry names, a copy of the last entry for a member. */
function entriesForMore(entries: readonly Entry[], secrets: readonly string[]): Entry[] {
  const last = entries.findLast((entry) => memberOf(entry) !== undefined);
  if (last === undefined) return [];
  const more = secrets.filter((name) => !entries.some((entry) => memberOf(entry) === name));
  return more.map((name) => ({ ...last, destination: { ...last.destination, kubeConfig: { secretRef: { name } } } }));
}

/**
 * The object for the members whose kubeconfigs are in `secrets`: of a sample that deploys to members, one entry for each
 * of them. A member of the sample that is not there is replaced by a namespace of the host, named after it. Objects
 * without destinations stay as they are; the input is not changed.
 */
export function withMembers(object: KubeObject, secrets: readonly string[]): KubeObject {
  const copy = structuredClone<DeployingApplication>(object);
  const release = copy.spec?.fluxApp?.spec?.config?.helmRelease;
  if (release?.deploy === undefined) return object;
  const more = entriesForMore(release.deploy, secrets);
  release.deploy = [...release.deploy.map((entry) => movedToHost(entry, secrets)), ...more];
  return copy;
}

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
 * nothing of anybody else. The input is not changed.
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

/** Every namespace that the objects deploy to, once. */
export function targetsOf(objects: readonly KubeObject[]): Target[] {
  const targets = objects.flatMap((object) =>
    entriesOf(object).map(({ destination }) => ({
      secret: destination?.kubeConfig?.secretRef?.name,
      namespace: destination?.targetNamespace ?? '',
    })),
  );
  return [...new Map(targets.map((target) => [`${target.secret ?? ''}/${target.namespace}`, target])).values()];
}
