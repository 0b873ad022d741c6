import { settles } from '../invariants/settles.js';
import { ALL, play } from './play.js';
import type { Step, Story } from './steps.js';

/** Tells whether a shorter story still shows the same. */
export type StillFails = (story: Story) => Promise<boolean>;

/** True if the story fails by this invariant. */
export function failsBy(invariant: string): StillFails {
  return async (story) => {
    try {
      const { findings, world } = await play(story, { invariants: ALL });
      // The controllers stumble over a spec that no schema allows: it is simpler, but no story.
      const isBug = invariant !== settles().name && world.bugs.length > 0;
      return !isBug && findings.some((finding) => finding.invariant === invariant);
    } catch {
      return false;
    }
  };
}

/** The story without each run of steps that it fails without, ever shorter runs. */
async function withoutSteps(story: Story, stillFails: StillFails): Promise<Story> {
  let best = story;
  for (let length = Math.ceil(best.steps.length / 2); length >= 1; length = Math.floor(length / 2)) {
    // From the end: what is there depends on what is before it.
    for (let start = best.steps.length - length; start >= 0; start -= length) {
      const steps = best.steps.filter((_, index) => index < start || index >= start + length);
      const shorter = { ...best, steps };
      if (steps.length < best.steps.length && (await stillFails(shorter))) best = shorter;
    }
  }
  return best;
}

type Json = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All values with one key or item less. */
function* simpler(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.filter((_, other) => other !== index);
    for (const [index, item] of value.entries()) {
      for (const each of simpler(item)) yield value.map((old: unknown, other) => (other === index ? each : old));
    }
  }
  if (!isMap(value)) return;
  for (const key of Object.keys(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    for (const each of simpler(value[key])) yield { ...value, [key]: each };
  }
}

/** Simpler forms of a step: what it creates has fewer fields, and less time passes. */
function simplerSteps(step: Step): Step[] {
  const calmer = [0, 60].filter((seconds) => seconds < step.seconds).map((seconds) => ({ ...step, seconds }));
  const specs = step.do === 'create' ? [...simpler(step.spec)].map((spec) => ({ ...step, spec }) as Step) : []; // JSON still
  return [...calmer, ...specs];
}

/** The story with a simpler form of one step that fails all the same; undefined: there is none. */
async function withSimplerStep(story: Story, index: number, stillFails: StillFails): Promise<Story | undefined> {
  const current = story.steps[index];
  for (const step of current === undefined ? [] : simplerSteps(current)) {
    const shorter = { ...story, steps: story.steps.map((old, other) => (other === index ? step : old)) };
    if (await stillFails(shorter)) return shorter;
  }
  return undefined;
}

async function withSimplerSteps(story: Story, stillFails: StillFails): Promise<Story> {
  let best = story;
  for (const index of story.steps.keys()) {
    for (let next: Story | undefined = best; next !== undefined;) {
      best = next;
      next = await withSimplerStep(best, index, stillFails);
    }
  }
  return best;
}

/** The same story without members that no step is about. */
export function withoutUnusedMembers(story: Story): Story {
  const text = JSON.stringify(story.steps);
  return { ...story, members: story.members.filter((member) => text.includes(JSON.stringify(member))) };
}

/** A story with as few and as simple steps as it takes to fail in the same way. */
export async function shrink(story: Story, stillFails: StillFails): Promise<Story> {
  let best = await withoutSteps(story, stillFails);
  best = await withSimplerSteps(best, stillFails);
  best = await withoutSteps(best, stillFails);
  const smaller = withoutUnusedMembers(best);
  return (await stillFails(smaller)) ? smaller : best;
}
