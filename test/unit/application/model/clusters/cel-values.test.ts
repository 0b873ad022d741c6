import { describe, expect, it } from '@jest/globals';
import { celTexts, evaluateTexts, withValuesAt } from '#controllers/application/model/destinations/cel-values.js';
import { RawNumber } from '#lib/json/lossless-json.js';

const CLUSTER = { name: 'eu', labels: { env: 'prod', replicas: '3' }, annotations: {}, kubernetesVersion: 'v1.33.1' };

function evaluated(text: string, cluster: object = CLUSTER) {
  const [result] = evaluateTexts({ texts: [{ path: ['image', 'tag'], text }], clusters: [cluster] });
  return result === undefined || 'problem' in result ? result : result.values[0];
}

describe('the value of a text', () => {
  const rows: Record<string, [text: string, value: unknown]> = {
    'is a text': ['${{ cluster.labels.env }}', 'prod'],
    'is a number': ['${{ int(cluster.labels.replicas) * 2 }}', 6],
    'is a fraction': ['${{ 1.5 }}', 1.5],
    'keeps all digits': ['${{ 9007199254740993 }}', new RawNumber('9007199254740993')],
    'is true or false': ['${{ cluster.labels.env == "prod" }}', true],
    'is null': ['${{ null }}', null],
    'is a list': ['${{ ["a", cluster.name] }}', ['a', 'eu']],
    'is a map': ['${{ cluster.labels }}', CLUSTER.labels],
    'has a default for a key that is missing': ['${{ cluster.labels[?"zone"].orValue("none") }}', 'none'],
    'is a text around expressions': ['${{ cluster.name }}-${{ 1 }}-${{ true }}', 'eu-1-true'],
    'is the text of an escape': ['$${{ x }}', '${{ x }}'],
  };
  it.each(Object.entries(rows))('%s', (_, [text, value]) => expect(evaluated(text)).toEqual(value));

  const problems: Record<string, [text: string, problem: RegExp]> = {
    'a label that is missing': [
      '${{ cluster.labels.zone }}',
      /^values\.image\.tag: \$\{\{ cluster\.labels\.zone \}\}: the cluster has no label "zone": add it, or write/,
    ],
    'another variable': [
      '${{ release.name }}',
      /^values\.image\.tag is not a valid CEL expression: Unknown variable: release/,
    ],
    'a function that does not exist': ['${{ now() }}', /^values\.image\.tag is not a valid CEL expression/],
    bytes: ['${{ b"abc" }}', /it returns something that is not text/],
    'a time': ['${{ timestamp("2026-01-01T00:00:00Z") }}', /it returns something that is not text/],
    infinity: ['${{ 1.0 / 0.0 }}', /it returns Infinity, which is no number/],
    'a map inside of a text': [
      'a ${{ cluster.labels }}',
      /inside of a text it must return text, a number, true or false/,
    ],
    'an expression that is not closed': ['${{ cluster.name', /has no "}}"/],
    'an endless expression': [
      `\${{ ${'['.repeat(1) + '0,1,2,3,4,5,6,7,8,9'}]${'.map(a, [0,1,2,3,4,5,6,7,8,9]'.repeat(9)}${')'.repeat(9)} }}`,
      /it takes too long/,
    ],
  };
  it.each(Object.entries(problems))('is a problem of %s', (_, [text, problem]) => {
    expect(evaluated(text)).toMatchObject({ problem: expect.stringMatching(problem) });
  });

  it('is a problem of that cluster only', () => {
    const texts = [{ path: ['a'], text: '${{ cluster.labels.env }}' }];
    const clusters = [CLUSTER, { ...CLUSTER, labels: {} }];
    const problem = expect.stringMatching(
      /^values\.a: \$\{\{ cluster\.labels\.env \}\}: the cluster has no label "env"/,
    );
    expect(evaluateTexts({ texts, clusters })).toEqual([{ values: ['prod'] }, { problem }]);
  });
});

describe('texts with expressions', () => {
  const values = { a: '${{ x }}', b: [{ c: 'text' }, { c: 'a ${{ y }}' }], d: 1, '${{ key }}': 'kept' };

  it('are found in maps and lists, not in keys', () => {
    expect(celTexts(values)).toEqual([
      { path: ['a'], text: '${{ x }}' },
      { path: ['b', '1', 'c'], text: 'a ${{ y }}' },
    ]);
  });

  it('are replaced by values, and nothing else is', () => {
    const replaced = withValuesAt(values, [
      [['a'], { e: 1 }],
      [['b', '1', 'c'], false],
    ]);
    expect(replaced).toEqual({ ...values, a: { e: 1 }, b: [{ c: 'text' }, { c: false }] });
  });
});
