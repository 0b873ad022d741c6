import { expect, it } from '@jest/globals';
import { firstVerdict, type Rule } from '#controllers/application/model/child/verdicts.js';

const rule = (name: string, applies: boolean): Rule<string, string[]> => ({
  name,
  meaning: '',
  of: (subject, facts) => {
    facts.push(name);
    return applies ? { do: 'keep', why: `${name} ${subject}` } : undefined;
  },
});

it('the first rule that applies decides, and no later one is asked', () => {
  const asked: string[] = [];
  const rules = [rule('no', false), rule('yes', true), rule('late', true)];
  expect(firstVerdict(rules, 'web', asked)).toEqual({ do: 'keep', why: 'yes web' });
  expect(asked).toEqual(['no', 'yes']);
  expect(firstVerdict([rule('no', false)], 'web', asked)).toBeUndefined();
});
