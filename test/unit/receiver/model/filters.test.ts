import { describe, expect, test } from '@jest/globals';
import { applyFilters } from '#controllers/receiver/model/filters.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const res = { metadata: { name: 'app', labels: { tag: '1' } } };

function answer(body: string, ...filters: string[]): unknown {
  return applyFilters({ body, objects: [{ res, filters }] });
}

test.each<[string, string[], boolean]>([
  ['no filter accepts', [], true],
  ['one filter', ['res.metadata.name == "app"'], true],
  ['all of them must', ['req.tag == "1"', 'res.metadata.name == "other"'], false],
  ['object and body together', ['res.metadata.labels.tag == req.tag'], true],
])('%s', (_title, filters, value) => expect(answer('{"tag":"1"}', ...filters)).toEqual([{ value }]));

test.each(['[1]', 'nonsense', '"text"', 'null', ''])('a body that is no object: %s', (body) =>
  expect(answer(body, 'true')).toBeUndefined(),
);

test('what fails says why, and the others are answered', () => {
  const objects = [
    { res, filters: ['req.none == "1"'] },
    { res, filters: ['req.tag == "1"'] },
  ];
  const answers = applyFilters({ body: '{"tag":"1"}', objects });
  expect(answers).toEqual([{ problem: expect.stringContaining('none') }, { value: true }]);
});

describe('what it costs', () => {
  const SLOW = 'req.items.all(a, req.items.all(b, req.items.all(c, a + b + c >= 0)))';

  test('hundreds of objects and a long body', () => {
    const body = JSON.stringify({ items: Array.from({ length: 1_000 }, () => 1), tag: '1' });
    const objects = Array.from({ length: 300 }, () => ({ res, filters: ['req.tag == "1"'] }));
    expect(applyFilters({ body, objects })).toEqual(objects.map(() => ({ value: true })));
  });

  test('all objects share a second', () => {
    const body = JSON.stringify({ items: Array.from({ length: 1_000 }, () => 1) });
    const objects = Array.from({ length: 50 }, () => ({ res, filters: [SLOW] }));
    const cost = cpuMsOf(() => {
      expect(applyFilters({ body, objects })).toEqual(objects.map(() => ({ problem: 'it takes too long' })));
    });
    expect(cost).toBeLessThan(4_000);
  });
});
