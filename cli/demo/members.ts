import type { KubeObject } from '../../api/meta.js';

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

/**
 * The object with every member cluster whose kubeconfig is in none of `secrets` replaced by a namespace of the host,
 * named after it: what the samples become where there are fewer clusters. Objects without destinations stay as they
 * are; the input is not changed.
 */
export function withMembers(object: KubeObject, secrets: readonly string[]): KubeObject {
  const copy = structuredClone<DeployingApplication>(object);
  const release = copy.spec?.fluxApp?.spec?.config?.helmRelease;
  if (release?.deploy === undefined) return object;
  release.deploy = release.deploy.map((entry) => movedToHost(entry, secrets));
  return copy;
}
