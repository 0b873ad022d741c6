import { beforeAll, describe, expect, test } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { installCrds } from '#cli/install/crds.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { runCommand } from '#sandbox/command.js';
import type { World } from '#sandbox/world.js';
import { blocksIn, userPages } from '../support/doc-blocks.js';
import { useHost } from '../support/fixture.js';
import { useWorld } from '../support/world.js';

const COMMANDS = [['create'], ['apply'], ['apply', '--server-side']] as const;

let world: World;
const kube = useHost();

beforeAll(async () => {
  world = await useWorld();
  await installCrds(kube, { takeOver: false });
});

/** The object that the command would leave on the server. */
async function dryRun(command: readonly string[], yaml: string): Promise<unknown> {
  const args = ['--kubeconfig', world.host.kubeconfig, ...command, '--dry-run=server', '-o', 'json', '-f', '-'];
  return JSON.parse(await runCommand(world.tools.kubectl, args, { input: yaml }));
}

async function ensureNamespaces(yaml: string): Promise<void> {
  for (const { metadata } of parseYamlDocuments(yaml) as KubeObject[]) {
    const name = metadata.namespace;
    if (name === undefined || (await kube.get(namespaceResource, { name })) !== undefined) continue;
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

describe('YAML in the README and the docs', () => {
  const blocks = userPages().flatMap((page) => blocksIn(page, 'yaml'));
  const applicable = blocks.filter(({ exempt }) => exempt === undefined);

  test.each(applicable.map(({ title, text }) => [title, text]))('%s applies as it stands', async (_title, text) => {
    await ensureNamespaces(text);
    for (const command of COMMANDS) expect(await dryRun(command, text)).toMatchObject({ metadata: {} });
  });

  test('shows few parts of an object, and says of which', () => {
    expect(blocks.filter(({ exempt }) => exempt !== undefined).length).toBeLessThanOrEqual(5);
  });
});
