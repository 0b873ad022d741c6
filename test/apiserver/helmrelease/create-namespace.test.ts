import { expect, test } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-create', { charts: { plain: PLAIN } });

test('createNamespace makes the namespace that targetNamespace names, and no other, as in Flux', async () => {
  const { namespace, member } = harness;
  const storageNamespace = `${namespace}-storage`;
  await member.create(namespaceResource, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: storageNamespace },
  });
  await member.delete(namespaceResource, { name: namespace });
  await eventually(async () => expect(await member.get(namespaceResource, { name: namespace })).toBeUndefined(), {
    timeoutMs: 180_000,
  });

  const spec = { storageNamespace, install: { createNamespace: true } };
  await harness.apply('placeless', spec);
  await harness.until('placeless', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'InstallFailed',
      message: expect.stringContaining(`namespaces "${namespace}" not found`),
    });
  });
  expect(await member.get(namespaceResource, { name: namespace })).toBeUndefined();

  await harness.apply('placed', { ...spec, targetNamespace: namespace });
  await harness.untilReady('placed');
  expect((await harness.configMap('placed'))?.data?.['color']).toBe('blue');
});

test('a release waits for its namespace, and is installed when somebody creates it', async () => {
  const { namespace, member } = harness;
  const metadata = { name: `${namespace}-late` };
  await harness.apply('late', { targetNamespace: metadata.name, storageNamespace: metadata.name });
  await harness.until('late', (release) => {
    expect(conditionOf(release, 'Ready')?.message).toMatch(
      / not found: create it, or set spec.install.createNamespace/,
    );
  });
  await member.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata });
  const { status } = await harness.untilReady('late');
  expect(status?.history).toHaveLength(1);
});
