import { expect, it } from '@jest/globals';
import { POLICY, type Policy } from '#controllers/application/model/policy/policy.js';

it('each rule has a name of its own in its list, and says when it applies and what follows', () => {
  for (const part of Object.keys(POLICY) as (keyof Policy)[]) {
    const rules = POLICY[part].map(({ name, meaning }) => ({ name, meaning }));
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
    expect(rules.filter(({ name }) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
    expect(rules.filter(({ meaning }) => meaning === '' || meaning.endsWith('.'))).toEqual([]);
  }
});
