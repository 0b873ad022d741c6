import { readFile } from 'node:fs/promises';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';

interface SecretName {
  readonly name: string;
  readonly namespace: string;
}

async function secretWith(ref: SecretName, file: string): Promise<KubeObject & { data: { value: string } }> {
  const value = (await readFile(file)).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: ref, data: { value } };
}

/** Puts a kubeconfig into a Secret that HelmReleases and Kustomizations may name. */
export async function giveKubeconfig(host: Kube, ref: SecretName, file: string): Promise<void> {
  await host.create(secretResource, await secretWith(ref, file));
}

/** Puts another kubeconfig into such a Secret, as somebody does by mistake. */
export async function swapKubeconfig(host: Kube, ref: SecretName, file: string): Promise<void> {
  const { data } = await secretWith(ref, file);
  await host.patch(secretResource, ref, { type: 'merge', body: { data } });
}
