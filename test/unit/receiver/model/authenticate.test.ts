import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ReceiverSpec, ReceiverType } from '#api/flux/receiver.js';
import {
  bodyProblem,
  eventProblem,
  isAuthentic,
  jsonObjectIn,
  jsonOf,
  signedContent,
  SUPPORTED_TYPES,
  type Delivery,
} from '#controllers/receiver/model/authenticate.js';

const TOKEN = Buffer.from('never-shown');
const BODY = Buffer.from('{"ref":"refs/heads/main"}');

function hmac(algorithm: string, { body = BODY, token = TOKEN } = {}): string {
  return createHmac(algorithm, token).update(body).digest('hex');
}

function delivery(headers: Delivery['headers'] = {}, body: Uint8Array = BODY): Delivery {
  return { headers, body };
}

const SIGNED = `sha256=${hmac('sha256')}`;

describe('who knows the token is authentic', () => {
  test.each<[string, ReceiverType, Delivery['headers']]>([
    ['by the path alone', 'generic', {}],
    ['sha256', 'generic-hmac', { 'x-signature': SIGNED }],
    ['in upper case', 'generic-hmac', { 'x-signature': `sha256=${hmac('sha256').toUpperCase()}` }],
    ['sha512', 'generic-hmac', { 'x-signature': `sha512=${hmac('sha512')}` }],
    ['sha1', 'generic-hmac', { 'x-signature': `sha1=${hmac('sha1')}` }],
    ['of GitHub', 'github', { 'x-hub-signature-256': SIGNED, 'x-hub-signature': 'sha1=old' }],
    ['of an older GitHub', 'github', { 'x-hub-signature': `sha1=${hmac('sha1')}` }],
    ['of Bitbucket', 'bitbucket', { 'x-hub-signature': SIGNED }],
    ['of GitLab', 'gitlab', { 'x-gitlab-token': 'never-shown' }],
    ['of Harbor', 'harbor', { authorization: 'never-shown' }],
    ['of Nexus', 'nexus', { 'x-nexus-webhook-signature': hmac('sha1') }],
    ['of Docker Hub', 'dockerhub', {}],
    ['of Quay', 'quay', {}],
    ['of ACR', 'acr', {}],
    ['of CDEvents', 'cdevents', {}],
  ])('%s', (_title, type, headers) => {
    expect(isAuthentic(type, delivery(headers), TOKEN)).toBe(true);
  });
});

describe('nobody else is', () => {
  const other = { token: Buffer.from('other') };
  test.each<[string, ReceiverType, Delivery['headers']]>([
    ['no signature', 'generic-hmac', {}],
    ['another token', 'generic-hmac', { 'x-signature': `sha256=${hmac('sha256', other)}` }],
    ['another body', 'generic-hmac', { 'x-signature': `sha256=${hmac('sha256', { body: Buffer.from('{}') })}` }],
    ['another algorithm', 'generic-hmac', { 'x-signature': `md5=${hmac('md5')}` }],
    ['an algorithm of another digest', 'generic-hmac', { 'x-signature': `sha512=${hmac('sha256')}` }],
    ['no algorithm', 'generic-hmac', { 'x-signature': hmac('sha256') }],
    ['a part of the signature', 'generic-hmac', { 'x-signature': SIGNED.slice(0, -1) }],
    ['no digits', 'generic-hmac', { 'x-signature': 'sha256=' }],
    ['two signatures', 'generic-hmac', { 'x-signature': `${SIGNED}, ${SIGNED}` }],
    ['a list of headers', 'generic-hmac', { 'x-signature': [SIGNED] }],
    ['a wrong one before a right one', 'github', { 'x-hub-signature-256': 'sha256=00', 'x-hub-signature': SIGNED }],
    ['the header of another sender', 'github', { 'x-signature': SIGNED }],
    ['no token', 'gitlab', {}],
    ['a longer token', 'gitlab', { 'x-gitlab-token': 'never-shown ' }],
    ['an empty token', 'harbor', { authorization: '' }],
    ['sha256 where sha1 is asked for', 'nexus', { 'x-nexus-webhook-signature': hmac('sha256') }],
    ['a type that is not supported', 'gcr', { authorization: 'Bearer x' }],
    ['a type with tokens of OIDC', 'generic-oidc', {}],
  ])('%s', (_title, type, headers) => {
    expect(isAuthentic(type, delivery(headers), TOKEN)).toBe(false);
  });

  test.each(SUPPORTED_TYPES)('without a token, as %s', (type) => {
    const [headers, none] = [{ 'x-gitlab-token': '', authorization: '' }, Buffer.alloc(0)];
    const signed = createHmac('sha256', none).update(BODY).digest('hex');
    const all = { ...headers, 'x-signature': `sha256=${signed}`, 'x-hub-signature-256': `sha256=${signed}` };
    expect(isAuthentic(type as ReceiverType, delivery(all), none)).toBe(false);
  });
});

describe('what an authentic sender says', () => {
  const cdEvent = { context: { id: '1', source: '/ci', type: 'dev.cdevents.x', timestamp: 'now' }, subject: {} };
  const NO_OBJECT = 'the body is not a JSON object';
  const NO_CD_EVENT = 'the body is not a CDEvent';
  const NOT_LISTED = 'the event is not one of spec.events';
  interface Row {
    readonly title: string;
    readonly spec: Pick<ReceiverSpec, 'type' | 'events'>;
    readonly headers?: Delivery['headers'];
    readonly body?: string | object;
    readonly problem?: string;
  }
  const github = (event: string) => ({ headers: { 'x-github-event': event } });
  const events = ['ping', 'push'];
  test.each<Row>([
    { title: 'any event without a list', spec: { type: 'github' }, ...github('fork') },
    { title: 'an event of the list', spec: { type: 'github', events }, ...github('push') },
    { title: 'in another case', spec: { type: 'github', events: ['PUSH'] }, ...github('push') },
    { title: 'another event', spec: { type: 'github', events }, ...github('fork'), problem: NOT_LISTED },
    { title: 'no event', spec: { type: 'bitbucket', events }, problem: NOT_LISTED },
    { title: 'an event of GitLab', spec: { type: 'gitlab', events }, headers: { 'x-gitlab-event': 'push' } },
    { title: 'events where there are none', spec: { type: 'generic', events } },
    { title: 'a push to Docker Hub', spec: { type: 'dockerhub' }, body: { push_data: { tag: '1' } } },
    { title: 'no JSON', spec: { type: 'quay' }, body: '{', problem: NO_OBJECT },
    { title: 'a list', spec: { type: 'acr' }, body: '[]', problem: NO_OBJECT },
    { title: 'nothing at all', spec: { type: 'nexus' }, problem: NO_OBJECT },
    { title: 'a CDEvent', spec: { type: 'cdevents', events: ['x'] }, headers: { 'ce-type': 'X' }, body: cdEvent },
    { title: 'half a CDEvent', spec: { type: 'cdevents' }, body: { context: cdEvent.context }, problem: NO_CD_EVENT },
    {
      title: 'a CDEvent without id',
      spec: { type: 'cdevents' },
      body: { ...cdEvent, context: {} },
      problem: NO_CD_EVENT,
    },
  ])('$title', ({ spec, headers = {}, body = '', problem }) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const webhook = delivery(headers, bytes);
    expect(bodyProblem(spec.type, webhook) ?? eventProblem(spec, webhook)).toBe(problem);
  });
});

test('only what is signed can be a replay, and headers that are not signed make no difference', () => {
  const [one, two] = ['1', '2'].map((id) => delivery({ 'x-github-delivery': id }));
  if (one === undefined || two === undefined) throw new Error('there are two');
  expect(signedContent('github', one)).toBe(signedContent('github', two));
  expect(signedContent('github', delivery({}, Buffer.from('x')))).not.toBe(signedContent('github', one));
  expect(signedContent('generic', one)).toBeUndefined();
  expect(signedContent('gitlab', one)).toBeUndefined();
});

describe('what filters see of the body', () => {
  test.each<[string, string | undefined, string, unknown]>([
    ['JSON', 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['JSON among others', 'text/plain, application/json', '{"a":1}', { a: 1 }],
    ['nothing that is not said to be JSON', 'text/plain', '{"a":1}', {}],
    ['nothing without a type', undefined, '{"a":1}', {}],
    ['no list', 'application/json', '[1]', undefined],
    ['no text', 'application/json', 'nonsense', undefined],
  ])('%s', (_title, type, body, expected) => {
    expect(jsonObjectIn(jsonOf(delivery({ 'content-type': type }, Buffer.from(body))))).toEqual(expected);
  });
});
