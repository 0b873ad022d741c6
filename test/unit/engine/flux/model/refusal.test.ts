import { expect, test } from '@jest/globals';
import { publicNames } from '#engine/dry-run/public-names.js';
import { refusalOf } from '#engine/flux/model/refusal.js';
import { apiStatusOf, ConflictError, TransientError, type ApiStatus } from '#lib/errors.js';
import { object } from '../../../kustomization/model/builders.js';
import { reasonText } from '#engine/member/member-failure.js';

const PLACED = object('ConfigMap', 'web', { namespace: 'shop' });
const notFound = (resource: string): ApiStatus => ({
  ...{ code: 404, reason: 'NotFound', causes: [] },
  subject: { resource, name: 'shop' },
});
const CONFLICT: ApiStatus = { code: 409, reason: 'Conflict', causes: [] };

test.each<[string, TransientError | ConflictError, ReturnType<typeof object>, string]>([
  [
    'a namespace that is missing is named',
    new TransientError('apply: not found', { status: notFound('namespaces') }),
    PLACED,
    'namespace shop does not exist: create it, or add it to the source: apply: not found',
  ],
  [
    'anything else that is missing keeps the words of the server',
    new TransientError('apply: no such kind', { status: notFound('widgets') }),
    PLACED,
    'apply: no such kind',
  ],
  [
    'a conflict keeps the words of the server',
    new ConflictError('apply: modified', { status: CONFLICT }),
    PLACED,
    'apply: modified',
  ],
  [
    'a conflict with a version of the source says what to remove from it',
    new ConflictError('apply: modified', { status: CONFLICT }),
    object('ConfigMap', 'web', { namespace: 'shop', resourceVersion: '7' }),
    'apply: modified: remove metadata.resourceVersion and metadata.uid from the source',
  ],
])('%s', (_name, error, refused, text) => {
  const refusal = refusalOf(error, refused);
  expect(reasonText(refusal)).toBe(text);
  expect(refusal).toBeInstanceOf(TransientError);
  expect(apiStatusOf(refusal)).toBe(error.status);
});

const SECRET = object('Secret', 'key', { namespace: 'shop' });
const WAY_OUT = '; "kubectl apply --server-side --dry-run=server" says why';

test.each<[string, Partial<ApiStatus>, string]>([
  [
    'with the fields that are wrong',
    { code: 422, reason: 'Invalid', causes: [{ field: 'data[tls.crt]', message: 'Invalid value: "hush"' }] },
    `the server refuses this Secret (Invalid): see data[tls.crt]${WAY_OUT}`,
  ],
  ['without fields', { code: 500, reason: '' }, `the server refuses this Secret (HTTP 500)${WAY_OUT}`],
  ['unless the account is refused', { code: 401, reason: 'Unauthorized' }, 'apply: got hush'],
  ['or the namespace is missing', notFound('namespaces'), 'namespace shop does not exist: create it'],
])('the refusal of a Secret is told without values, %s', (_name, given, text) => {
  const status = { code: 0, reason: '', causes: [], ...given };
  const refusal = refusalOf(new TransientError('apply: got hush', { status }), SECRET);
  expect(reasonText(refusal)).toContain(text);
  expect(apiStatusOf(refusal)).toMatchObject({ code: status.code, reason: status.reason });
});

test('the refusal of any object is told without values where they may come from a Secret', () => {
  const causes = ['spec.image', 'metadata.labels[hush]'].map((field) => ({ field, message: 'Invalid value: "hush"' }));
  const error = new TransientError('apply: got hush', { status: { code: 422, reason: 'Invalid', causes } });
  const refused = object('Pod', 'web', { namespace: 'shop' });
  expect(reasonText(refusalOf(error, refused))).toContain('hush');
  const isPublic = publicNames(['image']);
  const refusal = refusalOf(error, refused, { hidesValues: true, isPublic });
  const fields = 'spec.image, metadata.labels[*****]';
  expect(reasonText(refusal)).toBe(`the server refuses this Pod (Invalid): see ${fields}${WAY_OUT}`);
});

const UNREADABLE: ApiStatus = { code: 500, reason: '', causes: [] };

test.each<[string, Record<string, unknown>, string]>([
  ['what is not base64', { data: { a: 'aHVzaA==', b: '**hush**' } }, 'data[b] is not base64: encode it, or set it in'],
  ['what is base64 but for its end', { data: { a: 'aHVzaA=' } }, 'data[a] is not base64'],
  ['a number', { stringData: { port: 5432 } }, 'stringData[port] is a number: make it a text, in quotes'],
  ['a map', { data: { a: { b: 'hush' } } }, 'data[a] is a map: make it a text, in quotes'],
  ['a list', { stringData: { a: ['hush'] } }, 'stringData[a] is a list'],
])('the field of a Secret with %s is named, and nothing else is to be asked', (_title, fields, text) => {
  const refusal = refusalOf(new TransientError('apply: got hush', { status: UNREADABLE }), { ...SECRET, ...fields });
  expect(reasonText(refusal)).toContain(`the server refuses this Secret (HTTP 500): ${text}`);
  expect(reasonText(refusal)).not.toContain('hush');
  expect(reasonText(refusal)).not.toContain(WAY_OUT);
});

test('of a Secret with values that can be read, the server says what it does not like', () => {
  const fields = { data: { none: null, empty: '', broken: 'aHVz\naA==\n' }, stringData: { a: '**' } };
  const refusal = refusalOf(new TransientError('apply', { status: UNREADABLE }), { ...SECRET, ...fields });
  expect(reasonText(refusal)).toBe(`the server refuses this Secret (HTTP 500)${WAY_OUT}`);
});

test('a field whose name may come from a Secret is named without it', () => {
  const refused = { ...SECRET, stringData: { hush: 1, port: 1 } };
  const error = new TransientError('apply', { status: UNREADABLE });
  const hiding = { hidesValues: true, isPublic: publicNames(['port']) };
  const problem = 'is a number: make it a text, in quotes';
  expect(reasonText(refusalOf(error, refused, hiding))).toBe(
    `the server refuses this Secret (HTTP 500): stringData[*****] ${problem}, stringData[port] ${problem}`,
  );
});
