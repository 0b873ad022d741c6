import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_UID_LABEL, DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ChildWrite } from '../record/recorder.js';
import type { Step } from '../story/steps.js';
import type { Invariant, Scene } from './types.js';

/** Milliseconds in which the controllers do what they planned, if nothing else happens. */
const AT_ONCE_MS = 2_000;

interface Plan {
  readonly app: string;
  readonly uid: string | undefined;
  /** Names of the children that would be created or changed. */
  readonly planned: ReadonlySet<string>;
  /** Names of those that were. */
  readonly written: Set<string>;
  readonly sinceMs: number;
  isOver: boolean;
}

/** True if the status shows the whole plan of what the spec says now. */
function isShown({ metadata, status }: Application): boolean {
  const { dryRun, conditions = [] } = status ?? {};
  if (dryRun === undefined || metadata.annotations?.[DRY_RUN_ANNOTATION] !== 'true') return false;
  const isWhole = conditions.some(({ type, status: state }) => type === 'DryRun' && state === 'True');
  return isWhole && dryRun.observedGeneration === metadata.generation && dryRun.more === undefined;
}

function planOf(application: Application): Plan | undefined {
  const { metadata, status } = application;
  if (!isShown(application)) return undefined;
  const objects = status?.dryRun?.objects ?? [];
  // A child that goes may have to go before others are written.
  if (objects.some(({ action }) => action !== 'created' && action !== 'changed')) return undefined;
  const planned = new Set(objects.map(({ name }) => name));
  return { app: metadata.name, uid: metadata.uid, planned, written: new Set(), sinceMs: Infinity, isOver: false };
}

/** Compares one plan with what then happens, until anything else happens. */
class Comparison {
  readonly #plans = new Map<string, Plan>();
  #running: Plan | undefined;
  /** Plans that were compared with writes. */
  judged = 0;

  settled(scene: Scene): string[] {
    const found = this.#conclude();
    this.#plans.clear();
    for (const application of scene.world.process.isStale ? [] : scene.world.applications()) {
      const plan = planOf(application);
      if (plan !== undefined) this.#plans.set(plan.app, plan);
    }
    return found;
  }

  step(step: Step, { world }: Scene): string[] {
    const found = this.#conclude();
    const isEnd = step.do === 'annotate' && step.key === DRY_RUN_ANNOTATION && step.to === null;
    const plan = isEnd ? this.#plans.get(step.app) : undefined;
    this.#plans.clear();
    if (plan !== undefined) this.#running = { ...plan, sinceMs: world.nowMs };
    return found;
  }

  writes(writes: readonly ChildWrite[], { world }: Scene): void {
    const running = this.#running;
    if (running === undefined || running.isOver) return;
    running.isOver = world.nowMs - running.sinceMs > AT_ONCE_MS;
    if (running.isOver) return;
    for (const { before, after } of writes) {
      const isOwn = after?.metadata.labels?.[APPLICATION_UID_LABEL] === running.uid;
      if (isOwn && after !== undefined && after !== before) running.written.add(after.metadata.name);
    }
  }

  acted(): void {
    if (this.#running !== undefined) this.#running.isOver = true;
  }

  #conclude(): string[] {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return [];
    const { planned, written, app } = running;
    if (planned.size > 0) this.judged += 1;
    const missing = [...planned].filter((name) => !written.has(name));
    const added = [...written].filter((name) => !planned.has(name));
    return [
      ...missing.map((name) => `the plan of ${app} has ${name}, which was not written`),
      ...added.map((name) => `the plan of ${app} lacks ${name}, which was written at once`),
    ];
  }
}

/** (h) A plan that is shown before a change is what then happens. */
export function plansAreTrue(): Invariant {
  const comparison = new Comparison();
  return {
    name: 'plans-are-true',
    judged: () => comparison.judged,
    onStep: (step, scene) => comparison.step(step, scene),
    onWrites: (writes, scene) => {
      comparison.writes(writes, scene);
      return [];
    },
    onActions: () => {
      comparison.acted();
      return [];
    },
    onSettled: (scene) => comparison.settled(scene),
  };
}
