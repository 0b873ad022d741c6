import { describe, expect, it } from '@jest/globals';
import { Absences } from '#controllers/application/absences.js';
import type { Existence } from '#controllers/cluster/existence.js';
import type { Child } from '#controllers/application/model/child/types.js';

const on = (cluster: string): Child => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: cluster, annotations: { 'gitops.kubesphere.io/cluster-id': cluster } },
  spec: {},
});

describe('what is known of absent clusters', () => {
  const namesOf = (children: readonly Child[]): string[] => children.map(({ metadata }) => metadata.name);

  it('is why they may exist, until they are asked about again', () => {
    const absences = new Absences();
    const existences = new Map<string, Existence>([
      ['a', { unknown: 'why' }],
      ['b', 'exists'],
      ['c', 'gone'],
    ]);
    absences.record('shop/web', existences, 0);
    expect(['a', 'b', 'c', 'd'].map((id) => absences.whyUnknown('shop/web', id))).toEqual([
      'why',
      'its object exists, but was not read yet',
      undefined,
      undefined,
    ]);
    expect(absences.whyUnknown('shop/other', 'a')).toBeUndefined();
    const children = ['a', 'b', 'c'].map(on);
    expect(absences.due('shop/web', children, 59_999)).toEqual([]);
    expect(namesOf(absences.due('shop/web', children, 60_000))).toEqual(['a', 'b']);
    absences.record('shop/web', new Map([['a', 'gone']] as const), 60_000);
    expect(absences.whyUnknown('shop/web', 'a')).toBeUndefined();
  });

  it('is forgotten with the last child there, and with the Application', () => {
    const absences = new Absences();
    absences.record(
      'shop/web',
      new Map([
        ['a', 'exists'],
        ['b', 'exists'],
      ] as const),
      0,
    );
    absences.due('shop/web', [on('b')], 1);
    expect(absences.whyUnknown('shop/web', 'a')).toBeUndefined();
    expect(absences.whyUnknown('shop/web', 'b')).toBeDefined();
    absences.forget('shop/web');
    expect(absences.whyUnknown('shop/web', 'b')).toBeUndefined();
  });
});
