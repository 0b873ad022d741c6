import { advance } from '#controllers/application/model/rollout/advance.js';
import type {
  Move,
  Rollout,
  RolloutInput,
  RolloutRecord,
  StageRecord,
  StageSpec,
  Target,
  TargetState,
} from '#controllers/application/model/rollout/types.js';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const MINUTE = 60_000;

/** A stage of clusters that it names. */
export function stage(name: string, more: Partial<StageSpec> = {}): StageSpec {
  return { name, clusters: { names: [name] }, ...more };
}

/** A destination `id` of the first stage, with what its state means if all goes well. */
export function target(id: string, state: TargetState, more: Partial<Target> = {}): Target {
  return {
    id,
    cluster: id,
    stage: 0,
    state,
    isAvailable: state === 'ready' || state === 'outdated',
    isFailed: state === 'failed',
    isReachable: true,
    isAtPrevious: state === 'outdated',
    hasPrevious: true,
    ...more,
  };
}

/** Several destinations, their ids are `NAME-1` and so on. */
export function targets(name: string, states: readonly TargetState[], more: Partial<Target> = {}): Target[] {
  return states.map((state, index) => target(`${name}-${index + 1}`, state, more));
}

export function record(more: Partial<RolloutRecord> = {}): RolloutRecord {
  return { revision: 2, startedAt: '2026-01-01T11:00:00Z', stages: [], lastGood: 1, ...more };
}

/** A stage that began at eleven. */
export function begun(name: string, settledAt?: string): StageRecord {
  return { name, startedAt: '2026-01-01T11:00:00Z', ...(settledAt === undefined ? {} : { settledAt }) };
}

export type Given = Partial<Omit<RolloutInput, 'requests'>> & { readonly requests?: Partial<RolloutInput['requests']> };

function input({ requests, ...given }: Given): RolloutInput {
  return {
    spec: {},
    targets: [],
    record: record(),
    revision: 2,
    previous: 1,
    windowAt: () => ({ open: true }),
    nowMs: NOW,
    requests: {
      approved: undefined,
      retry: undefined,
      ignoreWindows: undefined,
      abort: undefined,
      paused: undefined,
      ...requests,
    },
    ...given,
  };
}

export function rollout(given: Given): Rollout {
  return advance(input(given));
}

export function textOf(move: Move | undefined): string {
  if (move === undefined) return 'none';
  return 'to' in move ? move.to : move.cause;
}

/** What each destination gets, or why it waits. */
export function movesOf({ moves }: Rollout): Record<string, string> {
  return Object.fromEntries([...moves].map(([id, move]) => [id, textOf(move)]));
}

/** The destinations that are started: they were not at the target. */
export function startedIn(result: Rollout, list: readonly Target[]): string[] {
  return list
    .filter(({ id, state }) => ['absent', 'outdated'].includes(state) && textOf(result.moves.get(id)) === 'target')
    .map(({ id }) => id);
}
