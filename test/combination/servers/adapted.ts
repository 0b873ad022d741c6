import { isMap } from '#lib/plain.js';
import { epilogueOf } from '../story/epilogue.js';
import type { Step, StepName, Story } from '../story/steps.js';

/** Seconds of the world in memory that follow a step: more than any delay of the controllers, except for intervals. */
const SETTLE_SECONDS = 60;
/** A bake time on real servers, whose clock nobody moves. */
const BAKE_TIME = '2s';

/** Steps that no real server can do, or only in minutes; none of them may matter in the end. */
const LEFT_OUT: ReadonlySet<StepName> = new Set(['jump', 'stale', 'fresh', 'slow', 'fast', 'quota']);

/** A story as real servers can play it. */
export interface AdaptedStory {
  readonly members: readonly string[];
  readonly steps: readonly Step[];
  /** How often a step was left out, or done in the nearest way. */
  readonly changes: ReadonlyMap<string, number>;
}

function withShortBakes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShortBakes);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'bakeTime' ? BAKE_TIME : withShortBakes(each),
  ]);
  return Object.fromEntries(entries);
}

function adaptedStep(step: Step): Step {
  const seconds = step.seconds === 0 ? 0 : SETTLE_SECONDS;
  // A process is killed at any time, and not after so many writes.
  if (step.do === 'crash') return { do: 'restart', seconds };
  return { ...(withShortBakes(step) as Step), seconds }; // the same fields
}

/**
 * The steps of a story and of its end for real servers. Both worlds play the same ones: what is left out here, the
 * world in memory leaves out, too.
 */
export function adapted(story: Story): AdaptedStory {
  const changes = new Map<string, number>();
  const count = (what: string): unknown => changes.set(what, (changes.get(what) ?? 0) + 1);
  for (const step of story.steps) {
    if (LEFT_OUT.has(step.do)) count(`${step.do} left out`);
    if (step.do === 'crash') count('crash as a kill');
  }
  // The end of every story kills the controllers, and waits for hours: all stories share one controller.
  const end = epilogueOf(story).filter((step) => step.do !== 'restart' && step.do !== 'wait');
  const steps = [...story.steps, ...end].filter((step) => !LEFT_OUT.has(step.do)).map(adaptedStep);
  return { members: story.members, steps, changes };
}

/** An incident, whose times are short already. It has no end after its last step, and waits for none but its own. */
export function adaptedIncident({ members, steps }: Story): AdaptedStory {
  return { members, steps: steps.filter((step) => !LEFT_OUT.has(step.do)), changes: new Map() };
}
