import difference from 'lodash/difference.js';
import type { Finding } from '../invariants/types.js';
import { placeText } from '../world/members.js';
import type { World } from '../world/world.js';
import { playUnjudged, type Played } from './play.js';
import type { Step, Story } from './steps.js';

/** Steps that only the process of the controllers notices, and that users don't. */
function isUnseen({ do: name }: Step): boolean {
  return name === 'crash' || name === 'restart';
}

/** Whether each step that users notice meant something. */
function meantIn({ steps }: Story, { meant }: Pick<Played, 'meant'>): string {
  return meant.filter((_, index) => steps[index] === undefined || !isUnseen(steps[index])).join();
}

function installedIn({ members }: World): string[] {
  return members.installed().map(({ place, content }) => `${placeText(place)} ${content}`);
}

/** The story with such steps turned into waiting. */
function without(story: Story, isLeftOut: (step: Step) => boolean): Story {
  const steps = story.steps.map((step): Step => (isLeftOut(step) ? { do: 'wait', seconds: step.seconds } : step));
  return { ...story, steps };
}

function isLate({ do: name }: Step): boolean {
  return name === 'stale';
}

/**
 * (e) Crashes and restarts don't change how a story ends: plays it with and without them, and compares what is
 * installed. News is never late in it, as a new process has it at once. Undefined: it ends alike, has none of them, or
 * its users did something else. `told`: the story as it was played to its end before.
 */
export async function crashFinding(random: Story, told: Played): Promise<Finding | undefined> {
  const story = without(random, isLate);
  if (!story.steps.some(isUnseen)) return undefined;
  // Without late news, the story is the one that was told.
  const played = random.steps.some(isLate) ? await playUnjudged(story) : told;
  const other = await playUnjudged(without(story, isUnseen));
  if (meantIn(story, played) !== meantIn(story, other)) return undefined;
  const [after, calm] = [installedIn(played.world), installedIn(other.world)];
  const [added, lost] = [difference(after, calm), difference(calm, after)];
  if (added.length === 0 && lost.length === 0) return undefined;
  const message = `crashes change how it ends: only with them ${added.join(', ')}; only without ${lost.join(', ')}`;
  return { invariant: 'crashes-change-nothing', message };
}
