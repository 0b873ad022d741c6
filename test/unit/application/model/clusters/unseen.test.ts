import { describe, expect, it } from '@jest/globals';
import { removedUnseen, withAbsences } from '#controllers/application/model/clusters/leaving.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { indexed } from '../builders.js';
import { inventory, own } from './builders.js';

const THERE = own('there');
const [KNOWN, ABSENT] = [clusterIdText(THERE.id), clusterIdText(own('absent').id)];

function on(id?: string): Child {
  const annotations = id === undefined ? {} : { 'gitops.kubesphere.io/cluster-id': id };
  return { apiVersion: 'v2', kind: 'HelmRelease', metadata: { name: id ?? 'host', annotations }, spec: {} };
}

describe('children on clusters that the inventory lacks', () => {
  it('are looked up before they are removed, in either way', () => {
    const removed = (op: 'delete' | 'suspend' | 'spare', id?: string): Step => ({ op, live: on(id), why: 'why' });
    const steps = [removed('delete', ABSENT), removed('suspend', ABSENT), removed('spare', ABSENT)];
    const others = [removed('delete', KNOWN), removed('delete')];
    expect(removedUnseen([...steps, ...others], indexed(inventory([THERE])))).toEqual([on(ABSENT), on(ABSENT)]);
  });

  it('may exist if somebody said so, unless the inventory has them by now', () => {
    const view = withAbsences(inventory([THERE]), () => 'why');
    expect([KNOWN, ABSENT].map((id) => view.whyUnknown(id))).toEqual([undefined, 'why']);
    const lost = withAbsences(inventory([], { whyUnknown: () => 'lost' }), () => 'why');
    expect(lost.whyUnknown(ABSENT)).toBe('lost');
  });
});
