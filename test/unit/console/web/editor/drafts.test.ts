import { expect, it } from '@jest/globals';
import { Drafts } from '#console/web/editor/model/drafts.js';

function drafts() {
  const counts: number[] = [];
  const kept: Drafts<string> = new Drafts(() => counts.push(kept.count));
  return { kept, counts };
}

it('drops none to make room for others', () => {
  const { kept } = drafts();
  for (let at = 0; at < 50; at += 1) kept.keep(`shop/${at}`, 'alice', `text ${at}`);
  expect(kept.of('shop/0', 'alice')).toBe('text 0');
  expect(kept.count).toBe(50);
});

it('shows nothing of one user to another, who takes nothing away', () => {
  const { kept } = drafts();
  kept.keep('shop/web', 'alice', 'secret');
  kept.keep('shop/api', 'alice', 'secret');
  expect(kept.of('shop/web', 'bob')).toBeUndefined();
  kept.keep('shop/web', 'bob', 'other');
  kept.drop('shop/web', 'bob');
  kept.dropAll('shop/', 'bob');
  expect([kept.of('shop/web', 'alice'), kept.of('shop/api', 'alice')]).toEqual(['secret', 'secret']);
  expect(kept.count).toBe(2);
});

it('says each time that there are more or less', () => {
  const { kept, counts } = drafts();
  kept.keep('use a 1', 'alice', '');
  kept.keep('use a 2', 'alice', '');
  kept.keep('use b 1', 'alice', '');
  kept.drop('none', 'alice');
  kept.dropAll('use a ', 'alice');
  expect(counts).toEqual([1, 2, 3, 3, 1]);
});
