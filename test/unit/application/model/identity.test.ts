import { describe, expect, it } from '@jest/globals';
import { heldReleaseKeys, releaseKeyText, slotText } from '#controllers/application/model/destinations/identity.js';
import type { Child, ReleaseKey } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, work } from './builders.js';

const [made] = applied([], work(application([deploy('prod', 'eu')])).steps);

describe('a release key', () => {
  it('has another text when a part moves over its border', () => {
    const kind = 'HelmRelease';
    const keys: ReleaseKey[] = [
      { kind, cluster: 'Secret/a/b', storageNamespace: 'c', releaseName: 'd' },
      { kind, cluster: 'Secret/a', storageNamespace: 'b/c', releaseName: 'd' },
      { kind, cluster: 'Secret/a/b', storageNamespace: 'c","d', releaseName: '' },
    ];
    expect(new Set(keys.map(releaseKeyText)).size).toBe(3);
    expect(releaseKeyText({ ...keys[0]! })).toBe(releaseKeyText(keys[0]!));
  });

  it('is never that of a Helm release and of files', () => {
    const key = { cluster: '', storageNamespace: 'prod', releaseName: 'web' };
    const texts = (['HelmRelease', 'Kustomization'] as const).map((kind) => releaseKeyText({ kind, ...key }));
    expect(texts).toEqual(['["","prod","web"]', '["Kustomization","","prod","web"]']);
  });
});

it('a slot is the same on every cluster, and another for each kind', () => {
  const key = { kind: 'HelmRelease', cluster: '', storageNamespace: 'prod', releaseName: 'web' };
  const slots = [key, { ...key, cluster: 'Secret/eu/value' }, { ...key, kind: 'Kustomization' }].map(slotText);
  expect([slots[0] === slots[1], slots[0] === slots[2]]).toEqual([true, false]);
});

describe('the releases that a child holds', () => {
  const keys = (child: Child): string[] =>
    heldReleaseKeys(child).map((key) => `${key.storageNamespace}/${key.releaseName}`);
  const history = (name: string): NonNullable<Child['status']> => ({ history: [{ name }], storageNamespace: 'prod' });

  it.each<[string, Child, string[]]>([
    ['are the one of its spec', made!, ['prod/web']],
    ['are that one once the engine has made it', { ...made!, status: history('web') }, ['prod/web']],
    ['are two until the engine has left the old one', { ...made!, status: history('old') }, ['prod/web', 'prod/old']],
    ['need no status of the usual shape', { ...made!, status: { history: 7 } } as unknown as Child, ['prod/web']],
  ])('%s', (_, child, expected) => {
    expect(keys(child)).toEqual(expected);
  });
});
