import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { laterDependencies, type Staged } from '#controllers/application/model/rollout/stages.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, well, work } from '../builders.js';

const STAGES = [{ name: 'canary' }, { name: 'rest' }];

function app(dependency: { name: string; namespace?: string }): Application {
  return application([deploy('prod', 'eu', { dependsOn: [dependency] }), deploy('prod', 'us')]);
}

const [, us] = applied([], work(app({ name: 'x' })).steps);
const NAME = us?.metadata.name ?? '';

/** The destinations eu and us, which eu depends on, in these stages. */
function destinations(stages: readonly [number, number], dependency = { name: NAME }, live?: Child): Staged[] {
  const { wanted } = work(app(dependency));
  return wanted.map((each, index) => ({
    entry: each.entry,
    live: index === 1 ? live : undefined,
    wanted: each,
    stage: stages[index] ?? 0,
  }));
}

describe('what depends on a later stage', () => {
  it('is named, with both stages and the way out', () => {
    expect(laterDependencies(destinations([0, 1]), STAGES)).toEqual([
      `spec.fluxApp.spec.config.helmRelease.deploy[0].dependsOn: HelmRelease shop/${NAME} is in stage "rest", which begins after stage "canary": put what is depended on in the same stage or an earlier one`,
    ]);
  });

  it.each<[string, Staged[]]>([
    ['in the same stage', destinations([1, 1])],
    ['in an earlier stage', destinations([1, 0])],
    ['of a destination that is in no stage', destinations([-1, 0])],
    ['that is installed already', destinations([0, 1], { name: NAME }, us && well(us))],
    ['of another name', destinations([0, 1], { name: 'other' })],
    ['of another namespace', destinations([0, 1], { name: NAME, ...{ namespace: 'other' } })],
    [
      'that was rejected',
      destinations([0, 1]).map((each, index) => (index === 1 ? { ...each, wanted: undefined } : each)),
    ],
  ])('is not a dependency %s', (_name, each) => expect(laterDependencies(each, STAGES)).toEqual([]));
});
