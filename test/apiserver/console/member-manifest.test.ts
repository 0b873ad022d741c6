import { describe, expect, it } from '@jest/globals';
import type { ManifestObject, ManifestView } from '#queries/answers/members.js';
import { fixture } from '../../support/fixture.js';
import { sendDescribed } from './harness.js';
import { dismissManifested, gatherManifested, type Manifested } from './manifested.js';

const setting = fixture<Manifested>(gatherManifested, dismissManifested);

type Who = keyof Manifested['tokens'];

function ask(who: Who, query: string): Promise<{ code: number; text: string }> {
  const { console, namespace, tokens } = setting;
  const url = `/api/v1/namespaces/${namespace}/applications/web/manifest${query}`;
  return sendDescribed(console.port, url, { token: tokens[who] });
}

async function manifestOf(who: Who, query: string): Promise<ManifestView> {
  const { code, text } = await ask(who, query);
  expect({ code, text }).toMatchObject({ code: 200 });
  expect(text).not.toContain('letmein');
  expect(text).not.toContain(Buffer.from('letmein').toString('base64'));
  return JSON.parse(text) as ManifestView;
}

const named = ({ kind, name, hook }: ManifestObject): string => `${kind}/${name} ${hook}`.trim();

describe('the manifest of a destination', () => {
  it('has what helm installed there, and nothing that its Secrets hold', async () => {
    const found = await manifestOf('owner', '?cluster=eu&release=web');
    expect(found).toMatchObject({
      ...{ application: `${setting.namespace}/web`, cluster: 'eu', release: 'web', problem: '', more: 0 },
      helm: { version: 1, status: 'deployed', chart: 'web', chartVersion: '1.2.3' },
    });
    const names = ['Secret/web', 'ConfigMap/web', 'ConfigMap/long', 'Secret/listed', 'Secret/hook post-install'];
    expect(found.objects.map(named).sort()).toEqual(names.sort());
    const yamlOf = (name: string): string => found.objects.find((each) => named(each) === name)?.yaml ?? '';
    expect(yamlOf('ConfigMap/web')).toContain('mode: fast');
    for (const name of names.filter((each) => each.startsWith('Secret'))) {
      expect(yamlOf(name)).toContain("stringData:\n  password: '*****'");
    }
  });

  it('of a Kustomization has what is there now', async () => {
    const found = await manifestOf('owner', '?child=' + encodeURIComponent(`Kustomization ${setting.namespace}/files`));
    expect(found.helm).toBeUndefined();
    expect(found.objects.map(named)).toEqual(['Secret/live', 'ConfigMap/live', 'ConfigMap/gone']);
    const [secret, configMap, gone] = found.objects;
    expect(secret?.yaml).toMatch(/^kind: Secret$/m);
    expect(secret?.yaml).toMatch(/last-applied-configuration: '\*\*\*\*\*'/);
    expect(configMap?.yaml).toContain('mode: slow');
    expect(gone).toMatchObject({ yaml: '', problem: 'it does not exist' });
  });

  it('is missing with a reason where Helm has no such revision', async () => {
    const found = await manifestOf('owner', '?release=gone');
    expect(found).toMatchObject({ objects: [], problem: expect.stringContaining('revision 7 of Helm is not stored') });
  });

  it('is of one destination', async () => {
    const answer = await ask('owner', '?cluster=eu');
    expect(answer).toMatchObject({ code: 400, text: expect.stringContaining('2 destinations are meant') });
    expect((await ask('owner', '?cluster=us')).code).toBe(400);
    expect((await ask('owner', '?clusters=eu')).code).toBe(400);
  });
});

describe('who may not read all', () => {
  it('has nothing of a cluster whose kubeconfig he may not read', async () => {
    const found = await manifestOf('guest', '?release=web');
    expect(found).toMatchObject({ objects: [], problem: expect.stringMatching(/secrets "eu" is forbidden: User/) });
  });

  it('has only names of objects that he may not read', async () => {
    const { objects } = await manifestOf('guest', '?cluster=host');
    expect(objects.map(({ yaml }) => yaml)).toEqual(['', '', '']);
    expect(objects[1]?.problem).toContain('configmaps "live" is forbidden');
  });

  it('has nothing of a child that he may not read', async () => {
    const found = await manifestOf('reader', '?cluster=host');
    expect(found).toMatchObject({ objects: [], problem: expect.stringContaining('is forbidden') });
  });
});
