import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { Rollout } from '#api/v1alpha1/rollout.js';
import {
  addedStage,
  countEdit,
  earlierStage,
  namesEdit,
  removedStage,
  ROLLOUT,
  rolloutEdit,
  rolloutOf,
  rolloutWords,
  type RolloutForm,
} from '#console/web/editor/model/rollout-form.js';
import { editYaml, textsIn, valueAt, type Edit } from '#console/web/model/yaml-edit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { arbitraryOf, type Schema } from '../../../../support/schema-arbitrary.js';

const YAML = `# of the Application
spec:
  rollout:
    # above the first
    stages:
      - name: canary # the brave
        clusters: {names: [eu-west]} # one
        bakeTime: 10m
      # above the second
      - name: edge
        maxUnavailable: 25%
        windows: []
      - name: rest
        approval: true # by a human
    onFailure: Rollback # at once
`;

function read(text: string): PlainMap {
  const value = parseYaml(text);
  if (!isMap(value)) throw new Error('it is no map');
  return value;
}

function formIn(text: string): RolloutForm {
  const form = rolloutOf(read(text));
  if (form === undefined) throw new Error('there is no rollout');
  return form;
}

const names = (text: string): string[] => formIn(text).stages.map(({ name }) => name);
const changed = (text: string, edits: (form: RolloutForm) => readonly Edit[]): string =>
  editYaml(text, edits(formIn(text)));
const textAtOf = (text: string) => textsIn(text, read(text));

it('has nothing to show without a rollout', () => {
  expect([{}, { spec: 1 }, { spec: { rollout: null } }].map(rolloutOf)).toEqual([undefined, undefined, undefined]);
});

it('shows the stages, and names what it does not show', () => {
  const { stages, others, isPaused } = formIn(YAML.replace('    onFailure', '    windows: []\n    onFailure'));
  expect(stages).toMatchObject([
    { path: ['spec', 'rollout', 'stages', 0], name: 'canary', clusters: 'eu-west', needsApproval: false, others: [] },
    { name: 'edge', clusters: '', others: ['windows'] },
    { name: 'rest', needsApproval: true },
  ]);
  expect({ others, isPaused }).toEqual({ others: ['windows'], isPaused: false });
});

test.each<[string, unknown, string]>([
  ['an empty one', {}, 'rest'],
  ['stages without the rest', { stages: [{ name: 'a' }, {}] }, 'a, a stage without a name, rest'],
  ['stages with it', { stages: [{ name: 'a' }, { name: 'rest' }], paused: true }, 'a, rest; paused'],
  ['many stages', { stages: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })) }, 'a, b, c, d and 2 more'],
])('says in a few words what %s means', (_, rollout, words) => {
  expect(rolloutWords(rolloutOf({ spec: { rollout } })!)).toBe(words);
});

test.each<[string, unknown]>([
  ['5', 5],
  ['0', 0],
  ['25%', '25%'],
  ['05', '05'],
  ['-1', '-1'],
  ['99999999999999999999', '99999999999999999999'],
  ['', undefined],
])('reads the count %j', (text, value) => {
  expect(countEdit(['a'], text)).toEqual({ path: ['a'], value });
});

describe('an edit', () => {
  it('begins a rollout, and ends it', () => {
    const begun = editYaml('kind: A # mine\n', [rolloutEdit(true)]);
    expect(read(begun)).toEqual({ kind: 'A', spec: { rollout: { stages: [{ name: 'canary' }] } } });
    expect(rolloutOf(read(editYaml(begun, [rolloutEdit(false)])))).toBeUndefined();
  });

  it('names clusters by commas and blanks', () => {
    const edited = changed(YAML, ({ stages }) => [namesEdit(stages[1]!, ' a, b  c,,fleet/d ')]);
    expect(formIn(edited).stages[1]?.clusters).toBe('a, b, c, fleet/d');
    expect(changed(edited, ({ stages }) => [namesEdit(stages[1]!, ' , ')])).not.toContain('fleet/d');
  });

  it('adds a stage before the rest, with its comments', () => {
    const edited = editYaml(YAML, addedStage(read(YAML), textAtOf(YAML)));
    expect(names(edited)).toEqual(['canary', 'edge', 'stage-1', 'rest']);
    for (const comment of YAML.matchAll(/# .*/g)) expect(edited).toContain(comment[0]);
    expect(edited).toContain('approval: true # by a human');
  });

  it('adds a stage at the end where there is no rest, by a name that is free', () => {
    const without = editYaml(YAML, [{ path: [...ROLLOUT, 'stages', 2], value: undefined }]);
    const twice = [0, 1].reduce((text) => editYaml(text, addedStage(read(text), textAtOf(text))), without);
    expect(names(twice)).toEqual(['canary', 'edge', 'stage-1', 'stage-2']);
  });

  it('moves a stage forward, with its comments', () => {
    const edited = editYaml(YAML, earlierStage(read(YAML), 1, textAtOf(YAML)));
    expect(names(edited)).toEqual(['edge', 'canary', 'rest']);
    for (const comment of YAML.matchAll(/# .*/g)) expect(edited).toContain(comment[0]);
    expect(edited).toContain('name: canary # the brave');
  });

  it('moves nothing that is first, or gone', () => {
    for (const index of [0, 3]) expect(earlierStage(read(YAML), index, textAtOf(YAML))).toEqual([]);
  });

  it('removes a stage, and the list with the last one', () => {
    const edited = changed(YAML, (form) => [removedStage(form, form.stages[0]!)]);
    expect(names(edited)).toEqual(['edge', 'rest']);
    const one = 'spec: {rollout: {stages: [{name: a}], paused: true}}\n';
    expect(read(changed(one, (form) => [removedStage(form, form.stages[0]!)]))).toEqual({
      spec: { rollout: { paused: true } },
    });
  });
});

it('reorders whatever the stages say, and changes none of them', () => {
  const rollouts = arbitraryOf(Rollout as Schema, 'rollout') as fc.Arbitrary<PlainMap>;
  const isLong = (rollout: PlainMap): boolean => Array.isArray(rollout['stages']) && rollout['stages'].length > 1;
  fc.assert(
    fc.property(rollouts.filter(isLong), fc.nat(), (rollout, any) => {
      const text = printYaml({ spec: { rollout } });
      const before = valueAt(read(text), [...ROLLOUT, 'stages']) as readonly unknown[]; // checked by isLong
      const index = 1 + (any % (before.length - 1));
      const moved = read(editYaml(text, earlierStage(read(text), index, textAtOf(text))));
      const after = [...before];
      after.splice(index - 1, 2, before[index], before[index - 1]);
      expect(valueAt(moved, ROLLOUT)).toEqual({ ...(valueAt(read(text), ROLLOUT) as object), stages: after });
      const again = printYaml(moved);
      expect(read(editYaml(again, earlierStage(moved, index, textAtOf(again))))).toEqual(read(text));
    }),
    { numRuns: 30 },
  );
});

test.each<[string, unknown]>([
  ['an empty one', {}],
  ['null', null],
  ['a text', 'x'],
  ['a list', []],
])('moves %s, and back to where it was', (_, odd) => {
  const stages = [{ name: 'canary' }, odd, { name: 'rest' }];
  const swapped = (text: string): string => editYaml(text, earlierStage(read(text), 1, textAtOf(text)));
  const once = swapped(printYaml({ spec: { rollout: { stages } } }));
  expect(valueAt(read(once), [...ROLLOUT, 'stages'])).toEqual([odd, stages[0], stages[2]]);
  expect(valueAt(read(swapped(once)), [...ROLLOUT, 'stages'])).toEqual(stages);
});

test.each([1, [], { stages: 1 }, { stages: [1, null, { name: {}, clusters: { names: [1] } }] }])(
  'never throws: %j',
  (rollout) => {
    expect(rolloutWords(rolloutOf({ spec: { rollout } })!)).toMatch(/rest$/);
  },
);
