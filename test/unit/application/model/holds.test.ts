import { describe, expect, it } from '@jest/globals';
import { Holds, workText } from '../../../../controllers/application/model/holds.js';
import { desiredChild } from '../../../../controllers/application/model/desired.js';
import { entriesOf } from '../../../../controllers/application/model/entries.js';
import type { Child, DesiredChild } from '../../../../controllers/application/model/types.js';
import { application, applied, deploy, files, filesApplication, leaving, work, type Deploy } from './builders.js';

const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);
const [eu] = made(deploy('prod', 'eu'));

function wanted(entry: Deploy, live?: Child): DesiredChild {
  const app = application([entry]);
  return desiredChild(app, entriesOf(app)[0]!, live);
}

const moving = (child: Child, releaseName: string): Child => ({
  ...child,
  status: { storageNamespace: 'prod', history: [{ name: releaseName }] },
});

describe('a release is held', () => {
  it.each<[string, DesiredChild, Partial<ConstructorParameters<typeof Holds>[0]>, boolean]>([
    ['by nobody when there is no other child', wanted(deploy('prod', 'eu')), {}, false],
    ['by a child that stays', wanted(deploy('prod', 'eu')), { staying: [eu!] }, true],
    ['not by the child itself', wanted(deploy('prod', 'eu'), eu), { staying: [eu!] }, false],
    ['not by a child that stays on another cluster', wanted(deploy('prod', 'us')), { staying: [eu!] }, false],
    ['by a child that goes, on any cluster', wanted(deploy('prod', 'us')), { going: [eu!] }, true],
    [
      'by a child that is being deleted, on any cluster',
      wanted(deploy('prod', 'us')),
      { staying: [leaving(eu!)] },
      true,
    ],
    ['not by a child that goes from another namespace', wanted(deploy('test', 'eu')), { going: [eu!] }, false],
    [
      'by a child that has not left it',
      wanted(deploy('prod', 'eu', { releaseName: 'old' })),
      { staying: [moving(eu!, 'old')] },
      true,
    ],
    [
      'by a child that has not left it on another cluster, for a new child',
      wanted(deploy('prod', 'us', { releaseName: 'old' })),
      { staying: [moving(eu!, 'old')] },
      true,
    ],
    [
      'not by a child that has not left it on another cluster, for a child that was beside it all the time',
      wanted(deploy('prod', 'us', { releaseName: 'old' }), made(deploy('prod', 'us'))[0]),
      { staying: [moving(eu!, 'old')] },
      false,
    ],
  ])('%s', (_, desired, { going = [], staying = [] }, isHeld) => {
    expect(new Holds({ going, staying }).of(desired) !== undefined).toBe(isHeld);
  });
});

describe('two children do the same', () => {
  const kustomizations = (...entries: Parameters<typeof filesApplication>[0]): Child[] =>
    applied([], work(filesApplication(entries)).steps);

  it('when they are about one release', () => {
    const named = made(deploy('prod', 'eu', { name: 'main' }));
    expect(workText(named[0]!)).toBe(workText(eu!));
    expect(workText(made(deploy('prod', 'us'))[0]!)).not.toBe(workText(eu!));
  });

  it('when they apply one directory to one place', () => {
    const [one, two, three] = kustomizations(
      files('prod', 'eu', { name: 'one', path: './a' }),
      files('prod', 'eu', { name: 'two', path: 'a/' }),
      files('prod', 'eu', { name: 'three', path: './b' }),
    );
    expect(workText(one!)).toBe(workText(two!));
    expect(workText(one!)).not.toBe(workText(three!));
  });
});
