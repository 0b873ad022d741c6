import { allowedFor } from '../model/allowed.js';
import { allVerdicts } from '../model/wanted.js';
import type { Invariant, Scene } from '../invariants/types.js';
import type { Step } from './steps.js';

/** The counters. */
export const COUNTED = [
  'step',
  'pair',
  'wait',
  'state',
  'phase',
  'verdict',
  'allowed',
  'event',
  'action',
  'judged',
] as const;
export type Counted = (typeof COUNTED)[number];

/** Counts what stories come across: one that never sees a case proves nothing of it. */
export class Coverage {
  readonly #counts = new Map<Counted, Map<string, number>>(COUNTED.map((name) => [name, new Map()]));
  stories = 0;
  steps = 0;
  passes = 0;

  count(what: Counted, name: string, times = 1): void {
    const counts = this.#counts.get(what);
    counts?.set(name, (counts.get(name) ?? 0) + times);
  }

  of(what: Counted): ReadonlyMap<string, number> {
    return this.#counts.get(what) ?? new Map<string, number>();
  }

  /** A step that meant something, after one that did. */
  countStep(step: Step, before: Step | undefined): void {
    this.steps += 1;
    this.count('step', step.do);
    if (before !== undefined) this.count('pair', `${before.do} ${step.do}`);
  }

  /** Counts the states at the end of a settling. */
  countScene({ world, memory }: Scene): void {
    const statuses = world.applications().flatMap(({ status }) => status ?? []);
    for (const { state, wait } of statuses.flatMap(({ destinations = [] }) => destinations)) {
      this.count('state', state);
      if (wait !== undefined) this.count('wait', wait.reason);
    }
    for (const { phase } of statuses.flatMap(({ rollout }) => rollout ?? [])) this.count('phase', phase);
    for (const [key, { is, rule }] of allVerdicts(memory)) {
      this.count('verdict', `${is} ${rule}`);
      const target = memory.targets.get(key)?.target;
      if (target !== undefined) this.count('allowed', allowedFor(memory, target).rule);
    }
  }

  /** Counts the events, actions and judgements of a whole story. */
  countStory({ world }: Scene, invariants: readonly Invariant[]): void {
    this.stories += 1;
    this.passes += world.passes;
    for (const { kind, reason } of world.told) if (kind === 'Application') this.count('event', reason);
    for (const { action } of world.members.actions) this.count('action', action);
    for (const { name, judged } of invariants) if ((judged?.() ?? 0) > 0) this.count('judged', name, judged?.());
  }

  /** The counts of one kind, the smallest first. */
  print(what: Counted): string {
    const sorted = [...this.of(what)].sort(([, a], [, b]) => a - b);
    return `${what}: ${sorted.map(([name, count]) => `${name} ${count}`).join(', ')}`;
  }
}
