import { describe, expect, it } from '@jest/globals';
import { Identities } from '#controllers/cluster/identities.js';

describe('the identities of clusters', () => {
  it('tell of each change, and of nothing else', () => {
    const identities = new Identities();
    const told: string[] = [];
    identities.onChange(({ object }) => told.push(`${object.metadata.name} ${identities.uidOf('eu') ?? 'unknown'}`));
    for (const uid of ['a', 'a', 'b', undefined, undefined]) identities.set('eu', uid);
    expect(told).toEqual(['eu a', 'eu b', 'eu unknown']);
    expect(identities.uidOf('us')).toBeUndefined();
  });

  it('tell that a cluster was asked, even if it does not answer, until its object is gone', () => {
    const identities = new Identities();
    const told: string[] = [];
    identities.onChange(({ object }) => told.push(object.metadata.name));
    expect(identities.isToBeAsked('eu')).toBe(true);
    for (const uid of [undefined, undefined]) identities.set('eu', uid);
    expect([told, identities.isToBeAsked('eu')]).toEqual([['eu'], false]);
    identities.forget('eu');
    expect(identities.isToBeAsked('eu')).toBe(true);
    expect(new Identities({ isAsking: false }).isToBeAsked('eu')).toBe(false);
  });
});
