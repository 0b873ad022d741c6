import { setTimeout as delay } from 'node:timers/promises';
import { REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { ResourceType } from '#api/meta.js';
import { TransientError } from '#lib/errors.js';
import type { Step, Story } from '../story/steps.js';
import { CHILD_RESOURCES } from '../world/kinds.js';
import { adapted, type AdaptedStory } from './adapted.js';
import type { Fleet } from './fleet.js';
import { MemorySide, memoryRuns, memoryView } from './memory.js';
import { Pace, seenOf, type Observed, type Seen } from './pace.js';
import { RealUser } from './perform.js';
import { Stage } from './stage.js';
import { differencesOf, hostView, runsView, type Difference, type View } from './view.js';

const POLL_MS = 250;
/** Both worlds must say the same for so long. */
const SAME_MS = 700;
/** Without a write for so long, the intervals of children are over: on real servers, somebody asks for that. */
const ASK_MS = 4_000;
/** Without a write for so long, the servers rest; longer than any delay of the controllers but for intervals. */
const REST_MS = 45_000;
const MOST_ASKED = 3;
const LIMIT_MS = 300_000;
/** The first HTTP status that is the fault of the server. */
const SERVER_ERROR = 500;

/** The outcome of one story. */
export interface Outcome {
  readonly number: number;
  readonly ms: number;
  /** How many steps were done. */
  readonly steps: number;
  /** Steps that the real API server refused; neither world has them. */
  readonly refused: readonly string[];
  readonly changes: ReadonlyMap<string, number>;
  /** Lines that both worlds say at the end. */
  readonly compared: number;
  /** The step after which the worlds differ, and in what. */
  readonly apart?: { readonly after: string; readonly differences: readonly Difference[] };
}

/** True if an API server answered that it does not accept a request. */
function isRefusal(error: unknown): error is TransientError {
  return error instanceof TransientError && error.status !== undefined && error.status.code < SERVER_ERROR;
}

/** Both views that the real servers are to reach. */
interface Wanted {
  readonly host: View;
  readonly runs: View;
}

class StoryPlayer {
  readonly #stage: Stage;
  readonly #user: RealUser;
  #memory: MemorySide;
  readonly refused: string[] = [];
  compared = 0;
  #isMended = false;

  constructor(stage: Stage, members: readonly string[]) {
    this.#stage = stage;
    this.#user = new RealUser(stage);
    this.#memory = new MemorySide(members, stage.sources);
  }

  /** Does a step in both worlds. True: it meant something, and both did it. */
  async perform(step: Step): Promise<boolean> {
    this.#user.see(this.#memory.world.server);
    const requests = this.#memory.perform(step);
    if (requests === undefined) return false;
    try {
      await this.#user.perform(step, requests);
    } catch (error: unknown) {
      if (!isRefusal(error)) throw error;
      this.refused.push(`${JSON.stringify(step)}: ${error.message}`);
      this.#memory = await this.#memory.withoutLast();
      return false;
    }
    if (step.do === 'mend') this.#isMended = true;
    return true;
  }

  /** Lets both worlds settle. Returns in what they differ, or what still moves. */
  async settle(step: Step): Promise<readonly Difference[]> {
    await this.#memory.settle(step);
    const { world } = this.#memory;
    const wanted = { host: memoryView(world), runs: runsView(memoryRuns(world)) };
    const differences = await this.#untilSame(wanted);
    if (differences.length === 0) this.#isMended = false;
    this.compared = Object.keys({ ...wanted.host, ...wanted.runs }).length - differences.length;
    return differences;
  }

  async #untilSame(wanted: Wanted): Promise<readonly Difference[]> {
    const startMs = Date.now();
    const pace = new Pace();
    let asked = 0;
    for (;;) {
      const seen = await this.#look();
      pace.see(seen, this.#stage.fleet.restartedAtMs);
      const host = this.#onHost(wanted, seen);
      // Releases and files are read from many servers, so only when the host agrees.
      const isHostSame = host.length === 0 && seen.unobserved.length === 0;
      const isSame = isHostSame && (await this.#onClusters(wanted)).length === 0;
      pace.agree(isSame);
      if (pace.agreedMs >= SAME_MS) return [];
      if (pace.restMs >= REST_MS) return [...host, ...(await this.#onClusters(wanted))];
      if (Date.now() - startMs >= LIMIT_MS) {
        const moving = { what: 'what still moves', inMemory: undefined, real: pace.moving(seen) };
        return [moving, ...host, ...(await this.#onClusters(wanted))];
      }
      if (pace.quietMs >= ASK_MS && !isSame && asked < MOST_ASKED) {
        asked += 1;
        await this.#ask();
      }
      await delay(POLL_MS);
    }
  }

  #onHost({ host }: Wanted, { applications, children }: Seen): Difference[] {
    const { names } = this.#stage;
    return differencesOf(host, hostView(names.fromReal(applications), names.fromReal(children)));
  }

  async #onClusters({ runs }: Wanted): Promise<Difference[]> {
    return differencesOf(runs, runsView(await this.#stage.runs()));
  }

  async #look(): Promise<Seen> {
    const [applications, children] = await Promise.all([this.#stage.applications(), this.#stage.children()]);
    const sources = await Promise.all(
      [gitRepositoryResource, helmRepositoryResource].map((type) => this.#stage.list<Observed>(type)),
    );
    return seenOf(applications, children, sources.flat());
  }

  /** Does what an interval would do: children and Git sources are looked at again, and from scratch after a `mend`. */
  async #ask(): Promise<void> {
    const now = String(Date.now());
    const annotations = {
      [REQUESTED_AT_ANNOTATION]: now,
      ...(this.#isMended ? { [RESET_AT_ANNOTATION]: now } : {}),
    };
    const types: readonly ResourceType[] = [gitRepositoryResource, ...CHILD_RESOURCES];
    for (const type of types) {
      for (const { metadata } of await this.#stage.list(type)) {
        const body = { metadata: { annotations } };
        // It may be gone by now.
        await this.#stage.host.patch(type, metadata, { type: 'merge', body }).catch(() => undefined);
      }
    }
  }
}

function shown(step: Step, index: number): string {
  return `step ${index + 1} ${JSON.stringify(step)}`;
}

/** Plays one story in both worlds, up to the first step after which they differ. */
export function playOnServers(fleet: Fleet, number: number, story: Story): Promise<Outcome> {
  return playAdapted(fleet, number, adapted(story));
}

/** How a story is played. */
interface PlayOptions {
  /** Called when both worlds say the same after a step. */
  readonly onSettled?: (step: Step, stage: Stage) => Promise<void>;
  /** True if the servers end with the story, so that nothing needs to be removed from them. */
  readonly isLeft?: boolean;
}

/** Plays the steps on a stage that is built. */
async function playSteps(
  stage: Stage,
  { members, steps }: AdaptedStory,
  onSettled: PlayOptions['onSettled'],
): Promise<Pick<Outcome, 'steps' | 'refused' | 'compared' | 'apart'>> {
  const player = new StoryPlayer(stage, members);
  let done = 0;
  let isPending = false;
  const outcome = () => ({ steps: done, refused: player.refused, compared: player.compared });
  for (const [index, step] of steps.entries()) {
    const isMeant = await player.perform(step);
    if (isMeant) done += 1;
    isPending ||= isMeant;
    if (step.seconds === 0 || !isPending) continue;
    isPending = false;
    const differences = await player.settle(step);
    if (differences.length > 0) return { ...outcome(), apart: { after: shown(step, index), differences } };
    await onSettled?.(step, stage);
  }
  return outcome();
}

/** The same with a story that real servers can play. */
export async function playAdapted(
  fleet: Fleet,
  number: number,
  story: AdaptedStory,
  { onSettled, isLeft = false }: PlayOptions = {},
): Promise<Outcome> {
  const startMs = Date.now();
  const stage = await Stage.build(fleet, number, story);
  try {
    const played = await playSteps(stage, story, onSettled);
    return { number, ms: Date.now() - startMs, changes: story.changes, ...played };
  } finally {
    await (isLeft ? stage.leave() : stage.clear());
  }
}
