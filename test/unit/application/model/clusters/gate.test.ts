import { expect, it } from '@jest/globals';
import { evaluateTexts } from '#controllers/application/model/destinations/cel-values.js';
import { celCluster, gateOf, readyText } from '#controllers/application/model/destinations/personal-values.js';
import type { Gate } from '#controllers/application/model/child/types.js';
import { application, entriesOf } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

const eu = own('eu', { env: 'prod', cni: 'ready' });

function gate(ready: string): Gate | undefined {
  const [entry] = entriesOf(application([selecting({ env: 'prod' }, undefined, { ready })]), inventory([eu]));
  const [result] = evaluateTexts({ texts: [readyText(ready)], clusters: [celCluster(eu)] });
  return gateOf(entry!, result!);
}

it.each<[string, Gate | undefined]>([
  ["cluster.labels.cni == 'ready'", undefined],
  ["'cni' in cluster.labels && {'a': {'b': 1}}.a.b == 1", undefined],
  ["cluster.name == 'us'", { waits: 'waiting for cluster eu: ready is false' }],
])('ready %s', (ready, expected) => {
  expect(gate(ready)).toEqual(expected);
});

it('is not true yet on a cluster for which it has no answer', () => {
  const waits = expect.stringMatching(/^waiting for cluster eu: ready: .*the cluster has no label "gpu"/);
  expect(gate("cluster.labels.gpu == 'yes'")).toEqual({ waits });
});

it.each([
  ['cluster.labels.cni ==', /\.deploy\[0\] \(cluster eu\)\.ready is not a valid CEL expression: /],
  ['node.name', /\.deploy\[0\] \(cluster eu\)\.ready is not a valid CEL expression: /],
  ['cluster.name', /\.deploy\[0\] \(cluster eu\)\.ready: it must return true or false$/],
  ["true }} ${{ cluster.name == 'us'", /\.deploy\[0\] \(cluster eu\)\.ready: it must return true or false$/],
])('ready %s is a violation of the entry', (ready, message) => {
  expect(gate(ready)).toEqual({ violation: { reason: 'ReadyInvalid', message: expect.stringMatching(message) } });
});
