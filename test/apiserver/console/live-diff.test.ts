import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { configMapResource, secretResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { ComparedObject, LiveDiffView } from '#queries/answers/members.js';
import { eventually } from '../../support/world.js';
import { fixture } from '../../support/fixture.js';
import { sendDescribed } from './harness.js';
import { dismissManifested, gatherManifested, putRelease, type Manifested } from './manifested.js';

const setting = fixture<Manifested>(gatherManifested, dismissManifested);

type Who = keyof Manifested['tokens'];

function ask(who: Who, query: string): Promise<{ code: number; text: string }> {
  const { console, namespace, tokens } = setting;
  const url = `/api/v1/namespaces/${namespace}/applications/web/live-diff${query}`;
  return sendDescribed(console.port, url, { token: tokens[who] });
}

async function diffOf(who: Who, query: string): Promise<LiveDiffView> {
  const { code, text } = await ask(who, query);
  expect({ code, text }).toMatchObject({ code: 200 });
  for (const secret of ['letmein', 'guessed']) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
  }
  return JSON.parse(text) as LiveDiffView;
}

const named = ({ kind, name, state }: ComparedObject): string => `${state} ${kind}/${name}`;

function edit(type: typeof configMapResource, name: string, body: object): Promise<KubeObject> {
  const { member, target } = setting;
  return member.patch(type, { name, namespace: target }, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
}

/** A revision that Helm would have stored of a release, and a destination for it. */
async function store(release: string, manifest: string): Promise<void> {
  const { kube, member, namespace, target } = setting;
  const packed = gzipSync(JSON.stringify({ name: release, namespace: target, version: 1, manifest })).toString(
    'base64',
  );
  await member.create<KubeObject>(secretResource, {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', stringData: { release: packed } },
    metadata: { name: `sh.helm.release.v1.${release}.v1`, namespace: target },
  });
  await putRelease(kube, { name: `${release}-eu`, namespace }, { target, version: 1, release });
  const place = { name: 'web', namespace };
  const application = await kube.get<KubeObject & { status: { destinations: object[] } }>(applicationResource, place);
  const child = { kind: 'HelmRelease', name: `${release}-eu` };
  const added = { name: release, cluster: 'eu', namespace: target, release, state: 'Ready', child };
  const body = { status: { destinations: [...(application?.status.destinations ?? []), added] } };
  await kube.patch(applicationResource, place, { type: 'merge', body }, { subresource: 'status' });
  await eventually(() => expect(JSON.stringify(setting.console.applications.list())).toContain(`"${release}-eu"`));
}

const HTML = '<img src=x onerror=alert(1)>';
const configMap = (metadata: object, data: object = {}): string =>
  `---\n${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })}\n`;

describe('what is wanted and what is there', () => {
  it('is the same where nobody changed anything', async () => {
    const found = await diffOf('owner', '?cluster=eu&release=web');
    expect(found).toMatchObject({
      ...{ application: `${setting.namespace}/web`, cluster: 'eu', problem: '', note: '', more: 0 },
      helm: { version: 1, status: 'deployed' },
    });
    const names = ['same ConfigMap/long', 'same ConfigMap/web', 'same Secret/listed', 'same Secret/web'];
    expect(found.objects.map(named).sort()).toEqual(names);
  });

  it('has each field that somebody changed, of Secrets without their values, and what is missing first', async () => {
    const { member, target } = setting;
    await edit(configMapResource, 'web', { data: { mode: '<b>slow</b>', other: 'of somebody else' } });
    await edit(secretResource, 'web', { data: { password: Buffer.from('guessed').toString('base64') } });
    await member.delete(configMapResource, { name: 'long', namespace: target });
    const before = await member.get<KubeObject>(configMapResource, { name: 'web', namespace: target });
    const { objects } = await diffOf('owner', '?release=web');
    expect(objects.map(named)).toEqual([
      'missing ConfigMap/long',
      expect.stringContaining('changed '),
      expect.stringContaining('changed '),
      'same Secret/listed',
    ]);
    const fieldsOf = (kind: string) => objects.find((each) => each.kind === kind && each.name === 'web')?.fields;
    expect(fieldsOf('ConfigMap')).toEqual([{ path: '/data/mode', live: '"<b>slow</b>"', wanted: '"fast"' }]);
    expect(fieldsOf('Secret')).toEqual([{ path: '/data/password' }]);
    const after = await member.get<KubeObject>(configMapResource, { name: 'web', namespace: target });
    expect(after).toEqual(before);
  });
});

describe('what a tenant stored as a release', () => {
  it('is shown as text, shortened, and what is no object is named', async () => {
    const { member, target } = setting;
    const data = { long: 'x'.repeat(100_000), page: HTML, bell: '\u001b[31m\u0007' };
    await member.create<KubeObject>(configMapResource, {
      ...{
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'hostile', namespace: target },
        data: { page: 'text' },
      },
    });
    const optedOut = { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' };
    const rest = [
      configMap({}),
      configMap({ name: '../../../secrets/x' }),
      configMap({ name: 'left', annotations: optedOut }),
      `---\n${JSON.stringify({ apiVersion: 'v1', kind: HTML, metadata: { name: 'a'.repeat(1_000) } })}\n`,
    ];
    await store('hostile', configMap({ name: 'hostile' }, data) + rest.join(''));
    const found = await diffOf('owner', '?release=hostile');
    expect(found.problem).toBe('');
    const of = (name: string) => found.objects.find((each) => each.name === name);
    const { fields = [] } = of('hostile') ?? {};
    expect(fields.map(({ path }) => path).sort()).toEqual(
      expect.arrayContaining(['/data/bell', '/data/long', '/data/page']),
    );
    expect(fields.every(({ wanted = '' }) => wanted.length <= 500)).toBe(true);
    expect(fields.find(({ path }) => path === '/data/page')).toEqual({
      ...{ path: '/data/page', live: '"text"', wanted: `"${HTML}"` },
    });
    expect(found.objects.map(({ name, state, message }) => [state, name.slice(0, 20), message])).toEqual([
      ['changed', 'hostile', ''],
      ['unreadable', '', 'it has no kind or no name'],
      ['unreadable', '../../../secrets/x', expect.stringContaining('is no name of a ConfigMap')],
      ['unreadable', 'a'.repeat(20), expect.stringContaining(HTML)],
      ['ignored', 'left', expect.any(String)],
    ]);
  });

  it('is compared up to a limit, of 5,000 objects', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `many-${index}`);
    await store('many', names.map((name) => configMap({ name })).join(''));
    const found = await diffOf('owner', '?release=many');
    expect(found).toMatchObject({ problem: '', more: 4_500 });
    expect(found.objects).toHaveLength(500);
    expect(found.objects.every(({ state }) => state === 'missing')).toBe(true);
  });
});

describe('a Kustomization', () => {
  const child = (): string => `?child=${encodeURIComponent(`Kustomization ${setting.namespace}/files`)}`;

  it('has what is missing, and says that nobody knows what its files want', async () => {
    const found = await diffOf('owner', child());
    expect(found).toMatchObject({ problem: '', note: expect.stringContaining('not stored anywhere') });
    expect(found.objects.map(named)).toEqual([
      'missing ConfigMap/gone',
      'unknown Secret/live',
      'unknown ConfigMap/live',
    ]);
  });

  it('has only the names of objects that its reader may not read', async () => {
    const { objects } = await diffOf('guest', '?cluster=host');
    expect(objects.map(({ state, fields }) => [state, fields.length])).toEqual(Array(3).fill(['unreadable', 0]));
    expect(objects[0]?.message).toContain('is forbidden');
  });

  it('has what its dry run published', async () => {
    const { kube, namespace } = setting;
    const place = { name: 'files', namespace };
    const annotations = { 'gitops.kubesphere.io/dry-run': 'true' };
    const marked = await kube.patch<KubeObject>(kustomizationResource, place, {
      ...{ type: 'merge', body: { metadata: { annotations } } },
    });
    const changed = {
      ...{ action: 'changed', apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'live' },
      fields: [{ path: '/data/mode', old: '"slow"', new: '"fast"' }],
    };
    const summary = { created: 0, changed: 1, recreated: 0, deleted: 0, unchanged: 1, failed: 0 };
    const computed = {
      observedGeneration: marked.metadata.generation,
      digest: 'x',
      computedAt: '2026-01-01T00:00:00Z',
    };
    const body = { status: { dryRun: { ...computed, summary, objects: [changed] } } };
    await kube.patch(kustomizationResource, place, { type: 'merge', body }, { subresource: 'status' });
    const found = await diffOf('owner', child());
    expect(found.note).toContain('as its dry run found it at 2026-01-01T00:00:00Z');
    expect(found.objects.map(named)).toEqual(['missing ConfigMap/gone', 'changed ConfigMap/live', 'same Secret/live']);
    expect(found.objects[1]?.fields).toEqual([{ path: '/data/mode', live: '"slow"', wanted: '"fast"' }]);
  });
});

describe('who may not read all', () => {
  it('has nothing of a cluster whose kubeconfig he may not read', async () => {
    const found = await diffOf('guest', '?release=web');
    expect(found).toMatchObject({ objects: [], problem: expect.stringMatching(/secrets "eu" is forbidden: User/) });
  });

  it('has to choose one destination', async () => {
    expect((await ask('owner', '?cluster=eu')).code).toBe(400);
    expect((await ask('owner', '?clusters=eu')).code).toBe(400);
  });
});
