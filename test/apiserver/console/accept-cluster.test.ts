import { beforeEach, describe, expect, it } from '@jest/globals';
import { kubesphereClusterResource } from '#api/cluster/kinds.js';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  APPLICATION_UID_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  HALTED_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { installClusterCrds } from '../../support/cluster-crds.js';
import { fixture } from '../../support/fixture.js';
import { actingAfter } from '../../support/gate.js';
import { makeNamespace, useWorld } from '../../support/world.js';
import { grant, sendDescribed, startConsole, type Answer } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';
import {
  acceptedBy,
  describeCluster,
  FOUND,
  grantSecrets,
  PASSWORD,
  replacedRow,
  withReplaced,
} from './replaced-people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'accept', true), dismiss);

const ref = (name = 'gone', namespace = setting.namespace) => ({ name, namespace });
const objectOf = ({ name, namespace } = ref()): string => `Secret ${namespace}/${name}`;
const said = (more: object = {}) => ({ object: objectOf(), clusterUid: FOUND, ...more });

interface Asked {
  readonly who?: keyof People['tokens'];
  readonly query?: string;
  readonly port?: number;
}

async function accept(body: unknown, asked: Asked = {}): Promise<Answer & { body: unknown }> {
  const { who = 'admin', query = '', port = setting.plain.port } = asked;
  const url = `/api/v1/namespaces/${setting.namespace}/applications/web/accept-cluster-uid${query}`;
  const answer = await sendDescribed(port, url, { method: 'POST', token: setting.tokens[who], body });
  return { ...answer, body: JSON.parse(answer.text) as unknown };
}

const refusal = (code: number, message: RegExp) => ({
  code,
  body: { kind: 'Status', message: expect.stringMatching(message) },
});

beforeEach(() => withReplaced(setting));

describe('a cluster that took the place of another one', () => {
  it('is accepted on its object by who may patch that, which is said and logged', async () => {
    const answer = await accept(said());
    expect(answer).toMatchObject({ code: 200, body: said({ done: expect.stringContaining('1 destination of this') }) });
    expect(answer.text).not.toContain(PASSWORD);
    const secret = await setting.kube.get<KubeObject & { data: object }>(secretResource, ref());
    expect(secret?.metadata.annotations).toEqual({ [ACCEPT_CLUSTER_UID_ANNOTATION]: FOUND });
    expect(secret?.data).toEqual({ value: Buffer.from(PASSWORD).toString('base64') });
    expect(secret?.metadata.managedFields?.map(({ manager }) => manager)).toContain('fairlead-console');
    expect(setting.plain.lines.at(-1)).toMatchObject({
      ...{ msg: 'change requested', code: 200, annotated: objectOf(), object: ref('web') },
      user: `system:serviceaccount:${setting.namespace}:admin`,
    });
    expect(await accept(said())).toMatchObject(refusal(409, /accepts the cluster with the UID .* already/));
  });

  it('may be tried, which writes nothing', async () => {
    expect(await accept(said(), { query: '?dryRun=All' })).toMatchObject({ code: 200, body: said() });
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
    const denied = await accept(said(), { query: '?dryRun=All', who: 'member' });
    expect(denied).toMatchObject(refusal(403, /cannot patch resource "secrets"/));
  });

  it('is accepted once for two destinations', async () => {
    await withWeb(setting, { rows: [replacedRow(ref(), { name: 'one' }), replacedRow(ref(), { name: 'two' })] });
    expect(await accept(said())).toMatchObject({
      code: 200,
      body: { done: expect.stringContaining('2 destinations') },
    });
    expect(await acceptedBy(setting.kube, ref())).toBe(FOUND);
  });

  it.each<[string, object | undefined, RegExp, Asked & { readonly code?: number }]>([
    ['another UID than the one that answers', { clusterUid: 'seen-before' }, /has the UID 0b7c.* by now: look at/, {}],
    ['the one that was there before', { clusterUid: 'old' }, /by now: look at it first/, {}],
    ['another Application of that name', {}, /"web" is another one by now/, { query: '?uid=other' }],
    ['another object', { object: 'Secret kube-system/token' }, /no destination waits because .* only for Secret/, {}],
    ['the same name of another kind', { object: 'Cluster gone' }, /no destination waits/, {}],
    [
      'a misspelt field',
      { uid: FOUND },
      /"uid" is no field of the body; choose from object, clusterUid/,
      { code: 400 },
    ],
    ['no UID', { clusterUid: '' }, /clusterUid: it must be a text/, { code: 400 }],
    ['a list', { object: [objectOf] }, /object: it must be a text/, { code: 400 }],
    ['no body', undefined, /the body is not an object/, { code: 400 }],
  ])('is not accepted with %s', async (_, more, message, { code = 409, ...asked }) => {
    expect(await accept(more && said(more), asked)).toMatchObject(refusal(code, message));
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
  });

  it('is not accepted where none was replaced', async () => {
    await withWeb(setting);
    expect(await accept(said())).toMatchObject(refusal(409, /was replaced$/));
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
  });

  it('is not accepted on an object that is gone, or describes no cluster any more', async () => {
    await describeCluster(setting.kube, ref(), {});
    expect(await accept(said())).toMatchObject(refusal(404, /Secret .*\/gone describes no cluster any more/));
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
    await setting.kube.delete(secretResource, ref());
    expect(await accept(said())).toMatchObject(refusal(404, /Secret .*\/gone describes no cluster any more/));
    expect(await setting.kube.get(secretResource, ref())).toBeUndefined();
  });
});

describe('who may not patch the object of a cluster', () => {
  it('is told so if he may read it, and else nothing of it, whether it is there or not', async () => {
    expect(await accept(said(), { who: 'member' })).toMatchObject(refusal(403, /cannot patch resource "secrets"/));
    const there = await accept(said(), { who: 'viewer' });
    expect(there).toMatchObject(refusal(404, /not found, or you may not read it/));
    await setting.kube.delete(secretResource, ref());
    expect((await accept(said(), { who: 'viewer' })).text).toBe(there.text);
  });

  it('cannot have a granted cluster of another namespace accepted by his rights in his own', async () => {
    const fleet = `${setting.namespace}-fleet`;
    await makeNamespace(setting.kube, fleet);
    const granted = ref('granted', fleet);
    await describeCluster(setting.kube, granted);
    // One of the same name, in his own namespace.
    await describeCluster(setting.kube, ref('granted'));
    await withWeb(setting, { rows: [replacedRow(granted)] });
    const body = said({ object: objectOf(granted) });
    expect(await accept(body)).toMatchObject(refusal(404, /fleet\/granted not found, or you may not read it/));
    expect(await accept(said({ object: objectOf(ref('granted')) }))).toMatchObject(
      refusal(409, /only for Secret .*fleet/),
    );
    expect(await acceptedBy(setting.kube, granted)).toBeUndefined();
    await grantSecrets(setting.kube, setting.namespace, fleet);
    expect(await accept(body, { who: 'member' })).toMatchObject({ code: 403 });
    expect(await accept(body)).toMatchObject({ code: 200, body });
    expect(await acceptedBy(setting.kube, granted)).toBe(FOUND);
    expect(await acceptedBy(setting.kube, ref('granted'))).toBeUndefined();
  });

  it('cannot have a cluster without a namespace accepted by his rights in one', async () => {
    const { kube, namespace } = setting;
    await installClusterCrds(kube, ['kubesphere-clusters']);
    const name = `${namespace}-eu`;
    const apiGroup = 'cluster.kubesphere.io';
    await kube.create<KubeObject>(kubesphereClusterResource, {
      ...{ apiVersion: `${apiGroup}/v1alpha1`, kind: 'Cluster', metadata: { name }, spec: {} },
    });
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    await grant(kube, 'all', { namespace, user: { kind: 'ServiceAccount', name: 'named', namespace }, rules });
    const replaced = { object: { apiGroup, kind: 'Cluster', name }, recorded: 'old', found: FOUND };
    await withWeb(setting, { rows: [{ ...replacedRow(ref()), replaced }] });
    const body = said({ object: `Cluster.${apiGroup} ${name}` });
    const accepted = async () =>
      (await kube.get<KubeObject>(kubesphereClusterResource, { name }))?.metadata.annotations ?? {};
    expect(await accept(body, { who: 'named' })).toMatchObject(refusal(404, /not found, or you may not read it/));
    expect(await accepted()).toEqual({});
    const own = [{ apiGroups: [apiGroup], resources: ['clusters'], verbs: ['get', 'patch'], resourceNames: [name] }];
    await grant(kube, name, { user: { kind: 'ServiceAccount', name: 'admin', namespace }, rules: own });
    expect(await accept(body)).toMatchObject({ code: 200, body });
    expect(await accepted()).toEqual({ [ACCEPT_CLUSTER_UID_ANNOTATION]: FOUND });
    await kube.delete(kubesphereClusterResource, { name });
    expect(await accept(body)).toMatchObject(refusal(404, /describes no cluster any more/));
  });

  it('cannot name the object by annotations of a child', async () => {
    const web = await withWeb(setting, { rows: [replacedRow(ref())] });
    await describeCluster(setting.kube, ref('victim'));
    const annotations = {
      [CLUSTER_ID_ANNOTATION]: `/Secret/${setting.namespace}/victim`,
      ...{ [CLUSTER_UID_ANNOTATION]: 'old', [HALTED_ANNOTATION]: 'evil' },
    };
    const labels = { [APPLICATION_UID_LABEL]: web.metadata.uid ?? '' };
    const chart = { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } };
    const child = { name: 'web-gone', namespace: setting.namespace };
    await setting.kube.create<KubeObject>(helmReleaseResource, {
      ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { ...child, annotations, labels } },
      ...{ spec: { interval: '10m', suspend: true, chart } },
    });
    const victim = said({ object: objectOf(ref('victim')) });
    for (const body of [victim, { ...victim, clusterUid: 'evil' }, said({ clusterUid: 'evil' })]) {
      expect((await accept(body)).code).toBe(409);
    }
    expect(await accept(said())).toMatchObject({ code: 200 });
    expect([await acceptedBy(setting.kube, ref('victim')), await acceptedBy(setting.kube, ref())]).toEqual([
      undefined,
      FOUND,
    ]);
    await setting.kube.delete(helmReleaseResource, child);
  });
});

describe('between the look and the write', () => {
  const during = async (happens: () => Promise<unknown>): Promise<Answer & { body: unknown }> => {
    const { kube, namespace } = setting;
    let isDone = false;
    const before = async (): Promise<void> => {
      if (isDone) return;
      isDone = true;
      await happens();
    };
    const console = await startConsole(await useWorld(), {
      kube,
      namespace,
      more: { kube: actingAfter(kube, 'patch', before) },
    });
    try {
      return await accept(said(), { port: console.port });
    } finally {
      expect(isDone).toBe(true);
      await console.stop();
    }
  };
  const touch = () =>
    setting.kube.patch(secretResource, ref(), { type: 'merge', body: { stringData: { value: 'another' } } });

  it('the cluster may be replaced again: then nothing is accepted', async () => {
    const answer = await during(async () => {
      await touch();
      await withWeb(setting, { rows: [replacedRow(ref(), { found: 'third' })] });
    });
    expect(answer).toMatchObject(refusal(409, /has the UID third by now/));
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
  });

  it('the object may become another one that describes no cluster: then it is not annotated', async () => {
    const answer = await during(() => describeCluster(setting.kube, ref(), {}));
    expect(answer).toMatchObject(refusal(404, /describes no cluster any more/));
    expect(await acceptedBy(setting.kube, ref())).toBeUndefined();
  });

  it('somebody else may write it: then it is looked at again, and his change stays', async () => {
    expect(await during(touch)).toMatchObject({ code: 200 });
    const secret = await setting.kube.get<KubeObject & { data: object }>(secretResource, ref());
    expect(secret?.data).toEqual({ value: Buffer.from('another').toString('base64') });
    expect(await acceptedBy(setting.kube, ref())).toBe(FOUND);
  });
});
