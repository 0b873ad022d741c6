import { describe, expect, it } from '@jest/globals';
import { digestIn } from '#controllers/application/model/child/metadata.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { application, deploy, entriesOf } from './builders.js';

describe('the digest of a child', () => {
  const app = application([deploy('prod', 'eu')]);
  const [entry] = entriesOf(app);
  const { object } = desiredChild(app, entry!, undefined);

  it('is that of what was applied, without the number of the revision', () => {
    expect(digestIn(object)).toMatch(/./);
    expect(digestIn(desiredChild(app, entry!, undefined, { revision: 3 }).object)).toBe(digestIn(object));
  });

  it('is unknown without a child, and of one that others made', () => {
    expect(digestIn(undefined)).toBeUndefined();
    expect(digestIn({ ...object, metadata: { name: 'web' } })).toBeUndefined();
  });
});
