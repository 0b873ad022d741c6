import { describe, expect, it } from '@jest/globals';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { LostDestinations } from '#controllers/application/model/clusters/lost-destinations.js';
import { application, deploy, type Deploy, entriesOf } from '../builders.js';

const wantedOf = (...entries: Deploy[]) => {
  const app = application(entries);
  return entriesOf(app).map((entry) => desiredChild(app, entry, undefined));
};
const childOf = (entry: Deploy): Child => wantedOf(entry)[0]!.object;
const onEu = (more: Partial<Deploy> = {}): Child => childOf(deploy('prod', 'eu', more));

describe('a child whose entry may have lost its cluster', () => {
  it.each<[string, Deploy, Child, boolean]>([
    ['the same release for the host', deploy('prod'), onEu(), true],
    ['the same name for the host', deploy('other', undefined, { name: 'a' }), onEu({ name: 'a' }), true],
    ['another release for the host', deploy('other'), onEu(), false],
    ['another release of its chart on its cluster', deploy('other', 'eu'), onEu(), true],
    ['its release with another name on its cluster', deploy('prod', 'eu', { releaseName: 'v2' }), onEu(), true],
    ['the same release on another cluster', deploy('prod', 'us'), onEu(), false],
    ['another release where it is one of the host', deploy('other'), childOf(deploy('prod')), true],
    ['what is suspended, as nothing is uninstalled', deploy('prod'), onEu({ suspend: true }), false],
  ])('is one if a new entry is for %s', (_, entry, child, isLost) => {
    const [wanted] = wantedOf(entry);
    const lost = new LostDestinations([wanted!]);
    expect(lost.replacing(child) !== undefined).toBe(isLost);
    expect(lost.replacedBy([child])(wanted!) === child).toBe(isLost);
    if (isLost) expect(lost.replacing(child)?.why).toMatch(/deploy\[0\] specifies release .* instead$/);
  });

  it('is none once the entry has a child of its own', () => {
    const [wanted] = wantedOf(deploy('prod'));
    expect(new LostDestinations([{ ...wanted!, live: wanted!.object }]).replacing(onEu())).toBeUndefined();
  });
});
