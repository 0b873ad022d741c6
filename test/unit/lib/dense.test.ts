import { describe, expect, it } from '@jest/globals';
import { cutDense, isCut } from '#lib/json/dense.js';
import { keptBytes } from '#lib/json/nesting.js';

const MIB = 1024 * 1024;
const many = (text: string, length: number): string =>
  `[${Array(Math.ceil(length / (text.length + 1)))
    .fill(text)
    .join(',')}]`;
const DENSE = many('{}', MIB);

function objectOf(spec: string, metadata = '"name":"web"'): string {
  return `{"kind":"Application","metadata":{${metadata}},"spec":{"deletionPolicy":"Orphan",${spec}},"status":{"a":[{}]}}`;
}

describe('an object that takes much more memory than its text', () => {
  it.each([
    ['empty maps', DENSE],
    ['lists in lists', many('[[],[]]', MIB)],
    ['maps of maps', many('{"a":{"b":{}}}', MIB)],
    ['many lists, each of them small', many(many('{}', 3_000), MIB)],
    ['many maps of a few fields each', many('{"a":0,"b":1,"c":{}}', MIB)],
    ['an entry with dense values', `[{"destination":{},"values":{"a":${DENSE}}}]`],
  ])('loses the lists and maps of its spec that take it: %s', (_, value) => {
    const text = objectOf(`"kubeConfig":{"secretRef":{"name":"eu"}},"deploy":${value}`);
    const cut = cutDense(text);
    expect(keptBytes(cut)).toBeLessThanOrEqual(8.1 * MIB);
    const object = JSON.parse(cut) as Record<string, unknown>;
    expect(isCut(object)).toBe(true);
    expect(object).toMatchObject({
      kind: 'Application',
      metadata: { name: 'web' },
      spec: {
        deletionPolicy: 'Orphan',
        kubeConfig: { secretRef: { name: 'eu' } },
        deploy: expect.any(Array) as unknown,
      },
      status: { a: [{}] },
    });
  });

  it('keeps its metadata and its status, whatever they are', () => {
    const text = `{"metadata":{"finalizers":${DENSE}},"status":{"conditions":${DENSE}},"spec":{"a":[]}}`;
    expect(cutDense(text) === text).toBe(true);
  });

  it('loses all of its data, as a ControllerRevision has', () => {
    expect(JSON.parse(cutDense(`{"kind":"ControllerRevision","data":${many('{"a":{}}', MIB)},"revision":1}`))).toEqual({
      'gitops.kubesphere.io/cut': true,
      ...{ kind: 'ControllerRevision', data: [], revision: 1 },
    });
  });

  it('is found in a list and in an event, and the others stay as they are', () => {
    const [small, dense] = [objectOf('"deploy":[{}]'), objectOf(`"deploy":${DENSE}`)];
    const list = JSON.parse(cutDense(`{"kind":"List","metadata":{},"items":[${small},${dense},${small}]}`)) as {
      items: object[];
    };
    expect(list.items.map(isCut)).toEqual([false, true, false]);
    expect([list.items[0], list.items[2]]).toEqual([JSON.parse(small), JSON.parse(small)]);
    const event = JSON.parse(cutDense(`{"type":"ADDED","object":${dense}}`)) as { object: object };
    expect(event.object).toMatchObject({ spec: { deploy: [] } });
    expect(isCut(event.object)).toBe(true);
  });
});

it.each([
  [
    'values as people write them',
    many(`{"name":"web","image":{"repository":"r.example/web","tag":"1.2.3"},"ports":[80,443]}`, MIB),
  ],
  ['one long text', JSON.stringify('"{[,'.repeat(MIB))],
  ['short texts', many('"abcdefgh"', MIB)],
  ['a small list of empty maps', many('{}', 100_000)],
])('cuts nothing of %s', (_, value) => {
  const text = objectOf(`"values":{"a":${value}}`);
  expect(cutDense(text) === text).toBe(true);
  const list = `{"items":[${Array(8).fill(text).join(',')}]}`;
  expect(cutDense(list) === list).toBe(true);
});
