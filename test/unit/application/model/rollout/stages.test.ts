import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignStages, quoted, rolloutProblem, stagesOf } from '#controllers/application/model/rollout/stages.js';
import type { RolloutSpec, StageSpec } from '#controllers/application/model/rollout/types.js';
import { stage } from './builders.js';

const tier = (name: string): StageSpec => ({ name, clusters: { selector: { matchLabels: { tier: name } } } });

const cluster = (name: string, labels: Record<string, string>) => ({
  ...{ name, labels },
  names: { short: name, full: `Secret/shop/${name}`, key: name },
});

describe('stages', () => {
  it('end with one for the rest, stated or not', () => {
    expect(stagesOf({}).map(({ name }) => name)).toEqual(['rest']);
    expect(stagesOf({ stages: [stage('a')] }).map(({ name }) => name)).toEqual(['a', 'rest']);
    const stated = [stage('a'), { name: 'rest', maxConcurrent: 2 }];
    expect(stagesOf({ stages: stated })).toEqual(stated);
  });

  it('have each cluster once: the first one that names or selects it, in the order of the list', () => {
    const stages = [
      tier('canary'),
      { ...tier('prod'), clusters: { names: ['eu'], selector: { matchLabels: { tier: 'prod' } } } },
    ];
    const clusters = [cluster('eu', { tier: 'canary' }), cluster('us', { tier: 'prod' }), cluster('host', {})];
    expect(Object.fromEntries(assignStages({ stages }, clusters).stages)).toEqual({ eu: 0, us: 1, host: 2 });
  });

  // Fleet's partitions overlap, and leave out what no partition matches.
  it('have neither gaps nor overlaps, whatever they select', () => {
    const label = fc.constantFrom('a', 'b', 'c', 'd');
    const selected = fc.record({
      name: fc.constantFrom('x', 'y', 'z'),
      clusters: label.map((value) => ({ selector: { matchLabels: { tier: value } } })),
    });
    const named = fc.record({ name: fc.constantFrom('x', 'y', 'z'), clusters: fc.record({ names: fc.array(label) }) });
    const clusters = fc
      .uniqueArray(label)
      .chain((names) => fc.tuple(...names.map((name) => label.map((value) => cluster(name, { tier: value })))));
    fc.assert(
      fc.property(fc.array(fc.oneof(selected, named)), clusters, (stages, list) => {
        const assigned = assignStages({ stages }, list).stages;
        expect([...assigned.keys()].sort()).toEqual(list.map(({ name }) => name).sort());
        for (const index of assigned.values()) expect(stagesOf({ stages })[index]).toBeDefined();
      }),
    );
  });

  it('warn of names that no destination is on', () => {
    const { warnings } = assignStages({ stages: [stage('eu'), stage('us')] }, [cluster('us', {})]);
    expect(warnings).toEqual(['stage "eu": no destination is on "eu"']);
  });
});

const EMPTY = { matchLabels: {} };
const PROBLEMS: Record<string, [RolloutSpec, string | undefined]> = {
  'nothing at all': [{}, undefined],
  'good values': [
    { stages: [stage('a', { maxConcurrent: '0%', maxUnavailable: 0, bakeTime: '1h30m' })], failureBudget: '10%' },
    undefined,
  ],
  'a stage without clusters': [
    { stages: [{ name: 'a' }, stage('b')] },
    'spec.rollout.stages[0] ("a").clusters is empty: set names or selector',
  ],
  'a stage with an empty list of names': [
    { stages: [stage('b'), { name: 'a', clusters: { names: [] } }] },
    'spec.rollout.stages[1] ("a").clusters is empty: set names or selector, or name the stage "rest"',
  ],
  'an empty selector': [
    { stages: [{ name: 'a', clusters: { selector: EMPTY } }] },
    'spec.rollout.stages[0] ("a").clusters.selector is empty, which could only mean all clusters: set matchLabels or matchExpressions, or name the last stage "rest"',
  ],
  'a selector that cannot match': [
    { stages: [{ name: 'a', clusters: { selector: { matchExpressions: [{ key: 'x', operator: 'In' }] } } }] },
    'spec.rollout.stages[0] ("a").clusters.selector.matchExpressions[0].values: In needs values',
  ],
  'the rest before others': [
    { stages: [{ name: 'rest' }, stage('b')] },
    'spec.rollout.stages[0] ("rest").name: "rest" has all clusters that are in no other stage: put it last and without clusters, or rename it',
  ],
  'the rest with clusters': [
    { stages: [stage('rest')] },
    'spec.rollout.stages[0] ("rest").name: "rest" has all clusters that are in no other stage: put it last and without clusters, or rename it',
  ],
  'junk in a percentage': [
    { stages: [stage('a', { maxConcurrent: '10 %' })] },
    'spec.rollout.stages[0] ("a").maxConcurrent: "10 %" is neither a number nor a percentage: use e.g. 5 or "10%"',
  ],
  'a negative number': [
    { stages: [stage('a', { maxUnavailable: -1 })] },
    'spec.rollout.stages[0] ("a").maxUnavailable: -1 is neither a number nor a percentage: use e.g. 5 or "10%"',
  ],
  'no duration': [
    { stages: [stage('a', { bakeTime: 'soon' })] },
    'spec.rollout.stages[0] ("a").bakeTime: "soon" is not a duration: use e.g. 10m or 1h30m',
  ],
  'two stages with one name': [
    { stages: [tier('a'), tier('b'), tier('a')] },
    'spec.rollout.stages[2].name: stages[0] is called "a" as well: rename one of them',
  ],
  'a cluster that two stages name': [
    { stages: [stage('a', { clusters: { names: ['eu', 'eu'] } }), stage('b', { clusters: { names: ['us', 'eu'] } })] },
    'spec.rollout.stages[1].clusters.names: the stages "a" and "b" both name the cluster "eu": name it in one of them',
  ],
  'junk in a failure budget': [
    { failureBudget: '200%' },
    'spec.rollout.failureBudget: "200%" is neither a number nor a percentage: use e.g. 5 or "10%"',
  ],
  'junk in an unreachable budget': [
    { unreachableBudget: 1.5 },
    'spec.rollout.unreachableBudget: 1.5 is neither a number nor a percentage: use e.g. 5 or "10%"',
  ],
};

describe('a rollout with', () => {
  it.each(Object.entries(PROBLEMS))('%s', (_, [spec, problem]) => expect(rolloutProblem(spec)).toBe(problem));

  it('a text of any length has a short problem', () => {
    const long = 'x'.repeat(100_000);
    expect(quoted(long).length).toBeLessThan(100);
    expect(rolloutProblem({ stages: [stage(long, { bakeTime: long })] })?.length).toBeLessThan(300);
  });
});
