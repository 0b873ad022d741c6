import { describe, expect, test } from '@jest/globals';
import { readFailure } from '#controllers/application/model/destinations/template-text.js';

const NAME = 'v1a2b';

/** What helm prints of an action in a text that our chart includes for the cluster with this index. */
function failing(action: string, problem: string, index = 12): string {
  const chart = `${NAME}/templates/c${index}.yaml`;
  const text = `${NAME}/templates/_text.tpl`;
  const include = `<include "${text}" (index .Values.clusters ${index})>`;
  return `Error: ${chart}:1:26\n  executing "${chart}" at ${include}:\n    error calling include:\n${text}:6:33\n  executing "${text}" at ${action}:\n    ${problem}\n`;
}

describe('what helm says', () => {
  test.each<[stderr: string, failure: object]>([
    [
      `Error: parse error at (${NAME}/templates/_text.tpl:3): unexpected {{end}}\nUse --debug flag to render out invalid YAML\n`,
      { index: undefined, isSyntax: true, problem: 'line 3: unexpected {{end}}: correct the template' },
    ],
    [
      `Error: execution error at (${NAME}/templates/c3.yaml:1:13): zone is needed\n\nUse --debug flag to render out invalid YAML\n`,
      { index: 3, isSyntax: false, problem: 'zone is needed' },
    ],
    ['runtime: out of memory', { index: undefined, isSyntax: false, problem: 'runtime: out of memory' }],
  ])('%j', (stderr, failure) => expect(readFailure(NAME, stderr)).toEqual(failure));

  test('is of the cluster with this index', () => {
    expect(readFailure(NAME, failing('<1>', 'expected string; found 1', 7))).toMatchObject({ index: 7 });
  });
});

describe('the way out', () => {
  test.each<[action: string, said: string, problem: string]>([
    [
      '<.Cluster.spec.a.b>',
      'nil pointer evaluating interface {}.b',
      'line 6: <.Cluster.spec.a.b>: nil pointer evaluating interface {}.b: add it to the cluster, or write {{ dig "spec" "a" "b" "a" .Cluster }} for a default',
    ],
    [
      '<index $x 0>',
      'nil pointer evaluating interface {}.b',
      'line 6: <index $x 0>: nil pointer evaluating interface {}.b: add it to the cluster, or test for it with "if" or "dig"',
    ],
    [
      '<1>',
      'expected string; found 1',
      'line 6: <1>: expected string; found 1: correct the action, or what it reads of the cluster',
    ],
  ])('%s: %s', (action, said, problem) => {
    expect(readFailure(NAME, failing(action, said))).toEqual({ index: 12, isSyntax: false, problem });
  });

  test('of a function that does not exist is its name', () => {
    const stderr = `Error: parse error at (${NAME}/templates/_text.tpl:1): function "foo" not defined\n`;
    const { problem } = readFailure(NAME, stderr);
    expect(problem).toBe('line 1: function "foo" not defined: correct its name: there are those of Sprig and Helm');
  });

  test('comes after as much of the problem as a condition takes', () => {
    const { problem } = readFailure(NAME, failing('<.Cluster.a.b>', `nil pointer ${'x'.repeat(10_000)}`));
    expect(problem.length).toBeLessThan(700);
    expect(problem).toMatch(/x…: add it to the cluster/);
  });
});
