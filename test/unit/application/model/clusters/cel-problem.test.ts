import { describe, expect, test } from '@jest/globals';
import {
  compileProblem,
  evaluateTexts,
  expressionProblem,
} from '#controllers/application/model/destinations/cel-values.js';

const CLUSTER = { name: 'eu', labels: { env: 'prod' }, annotations: {} };

function problemOf(text: string): string {
  const [result] = evaluateTexts({ texts: [{ path: ['a'], text }], clusters: [CLUSTER] });
  return result !== undefined && 'problem' in result ? result.problem : 'none';
}

describe('the problem of an expression has the way out', () => {
  test.each<[expression: string, wayOut: string]>([
    [
      'cluster.labels.zone',
      'the cluster has no label "zone": add it, or write ${{ cluster.labels[?"zone"].orValue("a") }} for a default',
    ],
    [
      'cluster.annotations["a/b"]',
      'the cluster has no annotation "a/b": add it, or write ${{ cluster.annotations[?"a/b"].orValue("a") }} for a default',
    ],
    ['cluster.namespace', 'the cluster has no namespace: write ${{ cluster.?namespace.orValue("a") }} for a default'],
    ['cluster.zone', 'cluster has no zone: there are name, namespace, labels, annotations, kubernetesVersion'],
    [
      'cluster.labels.env.zone',
      'there is no key "zone": correct it, or read it with [?"zone"].orValue("a") for a default',
    ],
    [
      'int(cluster.labels.env)',
      'int() type error: cannot convert to int: correct the expression, or what it reads of the cluster',
    ],
  ])('%s', (expression, wayOut) => {
    expect(problemOf(`\${{ ${expression} }}`)).toBe(`values.a: \${{ ${expression} }}: ${wayOut}`);
  });

  test.each<[text: string, wayOut: RegExp]>([
    ['a ${{ cluster.labels }}', /true or false: convert it, or let it be the whole text$/],
    ['${{ b"abc" }}', /a list or a map: convert it, e\.g\. with string\(\)$/],
    [
      '${{ release.name }}',
      /Unknown variable: release: release\.name; expressions read cluster, with name, .*: correct it/,
    ],
    ['${{ now() }}', /: correct it, or write "\$\$\{\{" for the text itself$/],
    ['${{ cluster.name', /close it, or write "\$\$\{\{" for the text itself$/],
  ])('%s', (text, wayOut) => expect(problemOf(text)).toMatch(wayOut));

  test('which works', () => {
    const [, written = ''] = /write (\$\{\{.*\}\}) for/.exec(problemOf('${{ cluster.labels.zone }}')) ?? [];
    const texts = [{ path: ['a'], text: written }];
    expect(evaluateTexts({ texts, clusters: [CLUSTER] })).toEqual([{ values: ['a'] }]);
  });
});

test('a label that another one begins with is not taken for it', () => {
  const problem = expressionProblem('cluster.labels.zones + x.zone', 'No such key: zone');
  expect(problem).toContain('there is no key "zone"');
});

test('an expression and a key are shown up to a length', () => {
  const key = 'k'.repeat(10_000);
  expect(expressionProblem(`cluster.labels["${key}"]`, `No such key: ${key}`).length).toBeLessThan(1_000);
});

test('what says the way out itself stays as it is', () => {
  const problem = 'values.a: "${{" has no "}}": close it';
  expect(compileProblem(problem)).toBe(problem);
});
