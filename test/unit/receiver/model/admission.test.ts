import { expect, test } from '@jest/globals';
import { Admissions, NAMESPACE_RATE, RATE, REPLAY_WINDOW_MS } from '#controllers/receiver/model/admission.js';

const push = { key: 'shop/hook', namespace: 'shop', content: 'a' };

test('a signed webhook is accepted once in the window', () => {
  const admissions = new Admissions();
  expect(admissions.admit(push, 0)).toBe('accepted');
  expect(admissions.admit(push, REPLAY_WINDOW_MS - 1)).toBe('replay');
  expect(admissions.admit({ ...push, content: 'b' }, 1)).toBe('accepted');
  expect(admissions.admit({ ...push, key: 'shop/other' }, 1)).toBe('accepted');
  expect(admissions.admit(push, REPLAY_WINDOW_MS)).toBe('accepted');
});

test('what is not signed may come again, and what had no effect, too', () => {
  const admissions = new Admissions();
  const unsigned = { ...push, content: undefined };
  expect([admissions.admit(unsigned, 0), admissions.admit(unsigned, 0)]).toEqual(['accepted', 'accepted']);
  admissions.forget(unsigned);
  admissions.admit(push, 0);
  admissions.forget(push);
  expect(admissions.admit(push, 0)).toBe('accepted');
});

test('a Receiver has a rate of its own, of which replays take nothing', () => {
  const admissions = new Admissions();
  const webhook = (index: number) => ({ ...push, content: String(index) });
  for (let index = 0; index < RATE.burst; index++) expect(admissions.admit(webhook(index), 0)).toBe('accepted');
  expect(admissions.admit(webhook(0), 0)).toBe('replay');
  expect(admissions.admit(webhook(-1), 0)).toBe('too many');
  expect(admissions.admit({ ...webhook(-1), key: 'shop/other' }, 0)).toBe('accepted');
  expect(admissions.admit(webhook(-1), RATE.refill)).toBe('accepted');
  expect(admissions.admit(webhook(-2), RATE.refill)).toBe('too many');
});

test('the Receivers of a namespace share a rate, too, which those of others do not feel', () => {
  const admissions = new Admissions();
  const webhook = (index: number, namespace = 'shop') => ({
    key: `${namespace}/${index}`,
    namespace,
    content: undefined,
  });
  for (let index = 0; index < NAMESPACE_RATE.burst; index++)
    expect(admissions.admit(webhook(index), 0)).toBe('accepted');
  expect(admissions.admit(webhook(-1), 0)).toBe('too many');
  expect(admissions.admit(webhook(-1, 'other'), 0)).toBe('accepted');
  expect(admissions.admit(webhook(-1), NAMESPACE_RATE.refill)).toBe('accepted');
});

test('what is not authentic is logged once a minute for each Receiver, and takes nothing of its rate', () => {
  const admissions = new Admissions();
  const complaints = Array.from({ length: 100 }, () => admissions.mayComplain('shop/hook', 0));
  expect(complaints.filter(Boolean)).toHaveLength(1);
  expect(admissions.mayComplain('shop/other', 0)).toBe(true);
  expect(admissions.mayComplain('shop/hook', 60_000)).toBe(true);
  expect(admissions.admit(push, 0)).toBe('accepted');
});

test('however many Receivers are complained about, a rate is not forgotten', () => {
  const admissions = new Admissions();
  const unsigned = { ...push, content: undefined };
  for (let index = 0; index < RATE.burst; index++) admissions.admit(unsigned, 0);
  for (let index = 0; index < 20_000; index++) admissions.mayComplain(`shop/${index}`, 0);
  expect(admissions.admit(unsigned, 0)).toBe('too many');
});
