import { expect, test } from '@jest/globals';
import { runCommand } from '#sandbox/command.js';
import { BUILT_IN_KINDS } from '../../support/built-in-kinds.js';
import { useWorld } from '../../support/world.js';

test('the kinds that are compared with kstatus are all that Kubernetes has', async () => {
  const { host, tools } = await useWorld();
  const args = ['--kubeconfig', host.kubeconfig, 'api-resources', '--verbs=get', '--no-headers'];
  const rows = (await runCommand(tools.kubectl, args)).trimEnd().split('\n');
  // The last three columns are APIVERSION, NAMESPACED and KIND.
  const kinds = rows.map((row) => row.split(/\s+/)).map((columns) => [columns.at(-3), columns.at(-1)].join(' '));
  const ofKubernetes = kinds.filter((id) => /^([a-z]+\/|v1 |[^/]*\.k8s\.io\/)/.test(id));
  expect(ofKubernetes.sort()).toEqual(BUILT_IN_KINDS);
});
