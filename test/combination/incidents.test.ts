import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { EXPECTED } from './incidents/expected.js';
import { expectationsOf, INCIDENT, incidentNames, momentsOf, readIncident, type Incident } from './incidents/judge.js';
import { ALL, play } from './story/play.js';
import { printStory } from './story/print.js';
import type { Json, Step } from './story/steps.js';
import { withoutRule, type RuleOfPolicy } from './story/without-rule.js';

const PAGE = new URL('../../docs/incidents.md', import.meta.url);

describe('the incident', () => {
  it.each(incidentNames())('%s', async (name) => {
    const incident = readIncident(name);
    const { findings } = await play(incident, { invariants: [...ALL, expectationsOf(name)] });
    const found = findings.map(({ invariant, message }) => `${invariant}: ${message}`).join('\n');
    const shown = `${printStory(incident)}\n${found}`;
    const failed = [...new Set(findings.map(({ invariant }) => invariant))];
    // If you fix the defect that an incident shows, remove its `knownFailure`.
    const expected = incident.knownFailure === undefined ? [] : [incident.knownFailure];
    expect({ shown, failed }).toEqual({ shown, failed: expected });
  });
});

describe('each incident', () => {
  it('has expectations for all of its moments', () => {
    const moments = incidentNames().map((name) => [name, momentsOf(readIncident(name))] as const);
    const expected = Object.entries(EXPECTED).map(([name, each]) => [name, Object.keys(each)]);
    expect(Object.fromEntries(expected)).toEqual(Object.fromEntries(moments));
  });

  it('is on the page for users, which has no others', () => {
    const linked = [...readFileSync(PAGE, 'utf8').matchAll(/https:\/\/github\.com\/[\w./-]+/g)].map(([link]) => link);
    const threads = new Set(incidentNames().map((name) => readIncident(name).thread));
    expect(linked.sort()).toEqual([...threads].sort());
  });
});

/** How an incident is broken: by a rule that is missing, or by one more step before that of a moment. */
type Breach = RuleOfPolicy | { readonly before: string; readonly step: Step };

const held: RuleOfPolicy = { list: 'leftovers', rule: 'removal-is-held' };
const inStages: RuleOfPolicy = { list: 'destinations', rule: 'revision-is-held' };

function editBefore(before: string, at: string, to: Json): Breach {
  return { before, step: { do: 'edit', app: 'web', at, to, seconds: 0 } };
}

/** The findings when an incident is broken: without that, its expectations would prove nothing. */
const BROKEN: readonly (readonly [name: string, breach: Breach, message: string])[] = [
  ['selector-that-matches-nothing', held, 'mistaken: release web on phys-1 was uninstalled'],
  ['all-clusters-leave-the-inventory', held, 'lost: web: condition RemovalsHeld is undefined'],
  [
    'later-stage-does-not-overtake',
    editBefore('out of reach', 'rollout.stages', []),
    'out of reach: release web on phys-2 became',
  ],
  ['clusters-come-and-go-in-a-rollout', inStages, 'other clusters: release web on phys-4 became'],
  [
    'cluster-that-no-stage-selects',
    editBefore('updated', 'rollout.stages', []),
    'updated: phys-3 got 2.0.0 0 ms after phys-2',
  ],
  ['cluster-has-no-label-yet', inStages, 'installed: versions are'],
  [
    'overrides-go-with-their-destination',
    { before: 'one removed', step: { do: 'edit', app: 'web', at: 'helm.deploy.0.overrides', to: null, seconds: 5 } },
    'one removed: replicas was 3 on phys-1',
  ],
  [
    'label-moves-a-cluster-that-is-orphaned',
    { list: 'leftovers', rule: 'release-stays' },
    'moved: release cni on phys-1 was uninstalled and installed again',
  ],
  [
    'label-moves-a-cluster-to-another-application',
    { list: 'leftovers', rule: 'release-is-handed-over' },
    'moved: release cni on phys-1 was uninstalled and installed again',
  ],
  [
    'label-of-a-cluster-is-removed',
    { list: 'leftovers', rule: 'unwanted' },
    'left: versions are {"phys-1":"1.0.0","phys-2":"1.0.0","phys-3":"1.0.0"}',
  ],
  ['paused-cluster-holds-nobody', { list: 'destinations', rule: 'cluster-is-paused' }, 'updated: versions are'],
  ['soak-time-of-an-update', editBefore('baking', 'rollout.stages.0.bakeTime', null), 'baking: versions are'],
  [
    'template-that-is-not-found',
    { before: 'not found', step: { do: 'template', name: 'bsae', chart: 'podinfo', version: '2.0.0', seconds: 5 } },
    'not found: release web on phys-1 became',
  ],
];

function brokenStory(incident: Incident, breach: Breach): Incident {
  if ('rule' in breach) return incident;
  const index = incident.steps.findIndex(({ moment }) => moment === breach.before);
  return { ...incident, steps: incident.steps.toSpliced(index, 0, breach.step) };
}

describe('an incident that is broken fails', () => {
  it.each(BROKEN)('%s by %j', async (name, breach, message) => {
    const policy = 'rule' in breach ? withoutRule(breach) : undefined;
    const story = brokenStory(readIncident(name), breach);
    const { findings } = await play(story, { invariants: [expectationsOf(name)], policy });
    expect(findings.map((each) => each.message).join('\n')).toContain(message);
  });

  it('as each of them has shown', () => {
    const failing = incidentNames().filter((name) => readIncident(name).knownFailure === INCIDENT);
    expect([...new Set([...BROKEN.map(([name]) => name), ...failing])].sort()).toEqual(incidentNames());
  });
});
