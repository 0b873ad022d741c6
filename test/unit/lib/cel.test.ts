import { describe, expect, test } from '@jest/globals';
import { CelBudget, compileCel, SharedData } from '#lib/cel/cel.js';
import { parseJson } from '#lib/json/lossless-json.js';
import { endlessExpression } from '../../support/endless-expression.js';
import { cpuMsOf } from '../../support/cpu-time.js';

const FIELD = 'spec.check';
const DATA = {
  metadata: { generation: 3, labels: { 'app/v': '1.12' }, big: parseJson('{"n": 9007199254740993}') },
  status: {
    observedGeneration: 3,
    ratio: 1.5,
    none: null,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False' },
    ],
  },
};

function answer(text: string): unknown {
  return compileCel({ text, field: FIELD }).evaluate(DATA);
}

describe('an expression over an object', () => {
  test.each<[string, boolean]>([
    ["status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')", true],
    ["status.conditions.exists(e, e.type == 'Synced' && e.status == 'True')", false],
    ['has(status.observedGeneration) && metadata.generation == status.observedGeneration', true],
    ['has(status.missing)', false],
    ["status.?missing.orValue('none') == 'none'", true],
    ['metadata.generation / 2 == 1', true],
    ['metadata.generation > 2.5', true],
    ['status.ratio > 1', true],
    ['status.none == null', true],
    ['metadata.big.n == 9007199254740993', true],
    ['metadata.big.n == 9007199254740992', false],
    ["int(metadata.labels['app/v'].split('.')[1]) >= 12", true],
    ["metadata.labels['app/v'].matches('^[0-9.]+$')", true],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('^(a+)+$')", false],
    ["'ab'.matches('a(?=b)')", true],
    ["timestamp('2026-01-01T00:00:00Z') < timestamp('2026-02-01T00:00:00Z')", true],
    ['status.phase == 1 || true', true],
    ["status.ratio in [1, 'a', 1.5]", true],
  ])('%s is %s', (text, value) => {
    expect(answer(text)).toEqual({ value });
  });

  test.each<[string, string]>([
    ['status.phase == 1', 'No such key: phase'],
    ['data.phase == 1', 'Unknown variable: data'],
    ['status.ratio', 'it does not return true or false'],
    ['status.constructor == 1', 'No such key: constructor'],
    [endlessExpression(), 'it takes too long'],
    ["'a'.matches('(')", 'Invalid regular expression: /(/: Unterminated group'],
    [`'a'.matches('(?=a)${'x'.repeat(1_000)}')`, `"(?=a)${'x'.repeat(994)}…`],
  ])('%s has no answer', (text, problem) => {
    expect(answer(text)).toEqual({ problem });
  });

  test('is not answered by JavaScript where RE2 refuses the size of a pattern', () => {
    const problem = expect.stringContaining('each counted as often as it is repeated');
    expect(answer(String.raw`'abc'.matches('^\\p{L}{1,1000}$')`)).toEqual({ problem });
  });
});

describe('an expression over named variables', () => {
  const variables = ['dep', 'self'];

  test('compares them', () => {
    const text = 'dep.metadata.generation == self.metadata.generation';
    const expression = compileCel({ text, field: FIELD, variables });
    const objectOf = (generation: number): object => ({ metadata: { generation } });
    expect(expression.evaluate({ dep: objectOf(1), self: objectOf(1) })).toEqual({ value: true });
    expect(expression.evaluate({ dep: objectOf(1), self: objectOf(2) })).toEqual({ value: false });
  });

  test.each<[string, string]>([
    ['true == object.ok', 'Unknown variable: object'],
    ["dep.metadata.labels['x']", 'it returns dyn, not bool'],
  ])('%s is refused', (text, problem) => {
    expect(() => compileCel({ text, field: FIELD, variables })).toThrow(problem);
  });
});

test.each<[string, string]>([
  ['status.phase ==', 'Unexpected token: EOF'],
  ['nothing(1)', "found no matching overload for 'nothing(int)'"],
  ["'Ready'", 'it returns string, not bool'],
])('%s does not compile, and the message says where and why', (text, problem) => {
  expect(() => compileCel({ text, field: FIELD })).toThrow(
    expect.objectContaining({
      reason: 'InvalidCELExpression',
      message: `${FIELD} is not a valid CEL expression: ${problem}: ${text}`,
    }),
  );
});

describe('the expressions of one object', () => {
  const SLOW = endlessExpression();

  test('share their time, which comes back slowly', () => {
    let now = 0;
    const budget = new CelBudget(() => now);
    const quick = compileCel({ text: 'true', field: FIELD, budget });
    const slow = compileCel({ text: SLOW, field: FIELD, budget });
    expect(quick.evaluate({})).toEqual({ value: true });
    const spend = (): unknown => budget.limited(() => (now += 200));
    spend();
    const cost = cpuMsOf(() => {
      for (let count = 0; count < 10; count += 1) expect(slow.evaluate({})).toEqual({ problem: 'it takes too long' });
    });
    // Each with time of its own: 2 seconds.
    expect(cost).toBeLessThan(1_000);
    now += 10_000;
    expect(quick.evaluate({})).toEqual({ value: true });
  });

  test('have their time on a busy machine, too: to wait for a processor costs nothing', () => {
    const waits = (times: number): (() => number) => {
      let calls = 0;
      return () => {
        calls += 1;
        if (calls <= times) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
        return calls;
      };
    };
    expect(new CelBudget().limited(waits(1))).toBe(2);
    expect(() => new CelBudget().limited(waits(3))).toThrow('timed out');
    let now = 0;
    const drained = new CelBudget(() => now);
    drained.limited(() => (now += 200));
    now += 60_000;
    expect(drained.limited(waits(1))).toBe(2);
  });

  test('share their length', () => {
    const budget = new CelBudget();
    const text = `'${'x'.repeat(60_000)}' == ''`;
    compileCel({ text, field: FIELD, budget });
    expect(() => compileCel({ text, field: FIELD, budget })).toThrow('expressions have more than 100000 characters');
  });
});

describe('what many evaluations cost', () => {
  const of = (text: string) => compileCel({ text, field: FIELD, variables: ['req'], budget: new CelBudget() });

  test('large data that they share are converted once', () => {
    const expression = of('size(req.items) == 300000');
    const req = new SharedData({ items: Array.from({ length: 300_000 }, () => 0) });
    const cost = cpuMsOf(() => {
      for (let count = 0; count < 100; count += 1) expression.evaluate({ req });
    });
    // Each time: several seconds.
    expect(cost).toBeLessThan(1_000);
  });
});
