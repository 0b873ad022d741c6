import { expect, test } from '@jest/globals';
import { filterAside, MOST_WAITING } from '#controllers/receiver/filter-aside.js';
import { fixture } from '../../support/fixture.js';
import { builtOffload } from '../../support/offload.js';

const offload = fixture(
  () => Promise.resolve(builtOffload()),
  (made) => made.close(),
);
const signal = new AbortController().signal;
const tenant = 'shop';

test('filters are answered in another thread', async () => {
  const objects = ['a', 'b'].map((name) => ({
    res: { metadata: { name } },
    filters: ['res.metadata.name == req.name'],
  }));
  const question = { body: '{"name":"b"}', objects };
  expect(await filterAside(offload, question, { tenant, signal })).toEqual([{ value: false }, { value: true }]);
  expect(await filterAside(offload, { ...question, body: '[]' }, { tenant, signal })).toBeUndefined();
});

test('more metadata than fits is refused with the way out', async () => {
  const res = { metadata: { annotations: { long: 'x'.repeat(250_000) } } };
  const objects = Array.from({ length: 100 }, () => ({ res, filters: ['true'] }));
  const asked = filterAside(offload, { body: '{}', objects }, { tenant, signal });
  await expect(asked).rejects.toThrow('the filters are asked about too much metadata: let labels select fewer objects');
});

test('who waits for too long is told so', async () => {
  const late = filterAside(offload, { body: '{}', objects: [] }, { tenant, signal: AbortSignal.abort() });
  await expect(late).rejects.toThrow('the filters had to wait for too long');
});

test('the webhooks of a namespace do not pile up, and those of others are answered', async () => {
  const questions = Array.from({ length: 20 }, (_, index) => ({ body: JSON.stringify({ index }), objects: [] }));
  const asked = await Promise.allSettled(
    questions.map((question) => filterAside(offload, question, { tenant: 'flood', signal })),
  );
  const refused = asked.filter(({ status }) => status === 'rejected');
  expect([MOST_WAITING, MOST_WAITING + 1]).toContain(asked.length - refused.length);
  expect(refused).toContainEqual(
    expect.objectContaining({
      reason: expect.objectContaining({ message: expect.stringContaining('too many others') }),
    }),
  );
  expect(await filterAside(offload, { body: '{}', objects: [] }, { tenant: 'other', signal })).toEqual([]);
});
