import path from 'node:path';
import { kubectl } from '#bench/scenarios/shell.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import { writeKubeconfig } from '#sandbox/world/credentials.js';
import type { World } from '#sandbox/world.js';

interface Rights {
  readonly name: string;
  /** Resources as kubectl names them. */
  readonly list?: readonly string[];
  readonly get?: readonly string[];
  readonly create?: readonly string[];
  readonly patch?: readonly string[];
}

/** The kubeconfig of a user who may list, get, create and patch these resources in the namespace of the host, and nothing else. */
export async function limitedUser(world: World, namespace: string, { name, ...rights }: Rights): Promise<string> {
  const inNamespace = (...args: readonly string[]) => kubectl(world, world.host, '-n', namespace, ...args);
  await inNamespace('create', 'serviceaccount', name);
  for (const [verb, resources] of Object.entries(rights)) {
    const role = `${name}-${verb}`;
    await inNamespace('create', 'role', role, `--verb=${verb}`, ...resources.map((each) => `--resource=${each}`));
    await inNamespace('create', 'rolebinding', role, `--role=${role}`, `--serviceaccount=${namespace}:${name}`);
  }
  const token = (await inNamespace('create', 'token', name)).trim();
  const file = path.join(world.dir, `${namespace}-${name}.kubeconfig`);
  const { cluster } = await readContext({ path: world.host.kubeconfig });
  const ca = Buffer.from(cluster?.caData ?? '', 'base64').toString();
  await writeKubeconfig(file, { cluster: 'host', server: world.host.server, ca, user: name, token });
  return file;
}
