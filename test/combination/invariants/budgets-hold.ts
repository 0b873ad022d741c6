import type { Application } from '#api/v1alpha1/application.js';
import type { Invariant } from './types.js';

type Stage = NonNullable<NonNullable<Application['status']>['rollout']>['stages'][number];

function limitOf(limit: string | number, total: number): number {
  if (typeof limit === 'number') return limit;
  const share = Number.parseInt(limit, 10);
  return share === 0 ? 0 : Math.max(1, Math.floor((share * total) / 100));
}

function judge({ spec, status, metadata }: Application): string[] {
  const stages = spec.rollout?.stages ?? [];
  if (status?.observedGeneration !== metadata.generation) return [];
  const overspent = ({ name, updating, total }: Stage): boolean => {
    const limit = stages.find((stage) => stage.name === name)?.maxConcurrent;
    return limit !== undefined && updating > limitOf(limit, total);
  };
  const found = (status?.rollout?.stages ?? []).filter(overspent);
  return found.map(({ name, updating }) => `stage ${name} of ${metadata.name} updates ${updating} at a time`);
}

/** (c) No stage updates more destinations at a time than `maxConcurrent` allows, while nobody edits that. */
export function budgetsHold(): Invariant {
  let isEdited = false;
  return {
    name: 'budgets-hold',
    onStep: (step) => {
      isEdited ||= step.do === 'edit' && step.at.startsWith('rollout');
      return [];
    },
    onSettled: ({ world }) => (isEdited ? [] : world.applications().flatMap(judge)),
  };
}
