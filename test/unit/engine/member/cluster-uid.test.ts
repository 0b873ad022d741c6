import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rememberedUid, uidOf } from '#engine/member/cluster-uid.js';
import { createMembers } from '#engine/member/members.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import type { Kube } from '#runtime/client/kube.js';

let listening: Listening;
let kube: Kube;
let answer: { readonly code: number; readonly body: unknown };
let requests: (string | undefined)[];

/** As an API server refuses. */
function refusal(code: number): typeof answer {
  return { code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no', reason: 'No', code } };
}

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests.push(request.headers['impersonate-user']?.toString());
    response.writeHead(answer.code, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  listening = await listen(server);
  kube = kubeFromConfig({ server: `http://127.0.0.1:${listening.address.port}` });
});

beforeEach(() => {
  requests = [];
  answer = { code: 200, body: { metadata: { uid: 'one' } } };
});

afterAll(async () => {
  await kube.close();
  await listening.close();
});

test.each([403, 404])('a cluster that answers %i does not tell its UID', async (code) => {
  answer = refusal(code);
  expect(await uidOf(kube, {})).toBeUndefined();
});

test.each([
  ['of no right to ask', refusal(401)],
  ['of trouble', refusal(501)],
  ['without a UID', { code: 200, body: { metadata: {} } }],
  ['with a text that is none', { code: 200, body: { metadata: { uid: 'a\nb' } } }],
])('an answer %s is no answer', async (_title, given) => {
  answer = given;
  await expect(uidOf(kube, {})).rejects.toThrow();
});

test('a member is asked once, with its own credential, whichever user acts', async () => {
  const members = createMembers({ host: kube });
  for (const serviceAccount of [undefined, 'deployer', undefined]) {
    const member = await members.get('host', 'shop', { serviceAccount });
    expect(await member.clusterUid()).toBe('one');
  }
  expect(requests).toEqual([undefined]);
  await members.close();
});

test('what failed is asked again', async () => {
  const uid = rememberedUid(kube);
  answer = refusal(501);
  await expect(uid()).rejects.toThrow();
  answer = { code: 200, body: { metadata: { uid: 'two' } } };
  expect(await uid()).toBe('two');
});
