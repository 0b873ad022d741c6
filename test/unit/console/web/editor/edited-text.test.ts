import { expect, it } from '@jest/globals';
import { textOf } from '#console/web/editor/model/application-text.js';
import { begun, discarded, edited, tookOver, undone, written } from '#console/web/model/edited-text.js';
import { takeoverOf } from '#console/web/editor/model/drafts.js';

it('undoes what the form did, step by step', () => {
  const now = edited(edited(begun('a'), 'b'), 'c');
  expect(undone(now)).toEqual({ text: 'b', initial: 'a', past: ['a'] });
  expect(undone(undone(undone(now)))).toEqual(begun('a'));
});

it('takes no step for what changes nothing', () => {
  expect(edited(begun('a'), 'a')).toEqual(begun('a'));
});

it('keeps the last twenty steps', () => {
  const now = Array.from({ length: 30 }, (_, index) => `${index}`).reduce(edited, begun('a'));
  expect(now.past).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 9}`));
});

it('begins with what was found', () => {
  expect(written(begun('a', 'draft'), 'more')).toMatchObject({ text: 'more', initial: 'a' });
});

it('never undoes what was written in the YAML', () => {
  const now = written(edited(begun('a'), 'by the form'), 'by the form, and by hand');
  expect(undone(now)).toEqual(now);
  expect(undone(edited(now, 'by the form again'))).toEqual(now);
});

it('undoes that all was discarded', () => {
  const now = written(begun('a'), 'by hand');
  expect(discarded(now).text).toBe('a');
  expect(undone(discarded(now))).toEqual(now);
});

const BASE = { namespace: 'shop', name: 'web', labels: {}, annotations: {}, spec: { a: 1 } };

it('never undoes or discards what somebody else did and was taken over', () => {
  const theirs = { ...BASE, spec: { a: 1, theirs: true } };
  const mine = edited(begun(textOf(BASE)), textOf({ ...BASE, spec: { a: 2 } }));
  const taken = tookOver(takeoverOf(mine.text, BASE, theirs)?.text ?? '', textOf(theirs));
  expect(taken.text).toBe(textOf({ ...BASE, spec: { a: 2, theirs: true } }));
  expect(undone(taken).text).toBe(taken.text);
  expect(discarded(taken).text).toBe(textOf(theirs));
});
