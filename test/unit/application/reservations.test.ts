import { describe, expect, it } from '@jest/globals';
import { Reservations } from '#controllers/application/memory.js';
import { application } from './model/builders.js';

const ONE = application([], { metadata: { name: 'one', uid: '1' } });
const OTHER = application([], { metadata: { name: 'other', uid: '2' } });

describe('a release that a pass is about to hold', () => {
  it.each([
    ['is made', (): Promise<string> => Promise.resolve('made')],
    ['cannot be made', (): Promise<string> => Promise.reject(new Error('refused'))],
  ])('is kept from other Applications until its child %s', async (_, make) => {
    const reservations = new Reservations();
    const made = reservations.during(ONE, ['a'], make);
    expect(reservations.otherOwner(OTHER, 'a')).toBe(ONE);
    expect(reservations.otherOwner(OTHER, 'b')).toBeUndefined();
    expect(reservations.otherOwner(ONE, 'a')).toBeUndefined();
    await made.catch(() => undefined);
    expect(reservations.otherOwner(OTHER, 'a')).toBeUndefined();
  });
});
