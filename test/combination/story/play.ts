import type { Policy } from '#controllers/application/model/policy/policy.js';
import { budgetsHold } from '../invariants/budgets-hold.js';
import { leavingGetsNothing } from '../invariants/leaving-gets-nothing.js';
import { movesAreTold } from '../invariants/moves-are-told.js';
import {
  approvalsEnd,
  namesAreApart,
  onceStays,
  onlyAllowedRuns,
  resumedInStages,
} from '../invariants/only-allowed-runs.js';
import { namesOfOneCluster, onlyUnwantedGoes, releasesAreHandedOver } from '../invariants/only-unwanted-goes.js';
import { noCredentialGetsNothing } from '../invariants/no-credential-gets-nothing.js';
import { oldReleaseStays } from '../invariants/old-release-stays.js';
import { onlyChangesWait, pendingSaysWhat } from '../invariants/pending-says-what.js';
import { plansAreTrue } from '../invariants/plans-are-true.js';
import { approvalsAreOfSomething, removalsAreGuarded } from '../invariants/removals-are-guarded.js';
import { replacedGetsNothing, replacedIsWaitedFor } from '../invariants/replaced-gets-nothing.js';
import { rolledOutIsTrue } from '../invariants/rolled-out-is-true.js';
import { dryRunRests, settles } from '../invariants/settles.js';
import { statusIsTrue } from '../invariants/status-is-true.js';
import { unwantedGoes } from '../invariants/unwanted-goes.js';
import { wantedComes } from '../invariants/wanted-comes.js';
import type { Finding, Invariant, Scene } from '../invariants/types.js';
import { actOf, deletionOf } from '../record/acts.js';
import { Recorder } from '../record/recorder.js';
import { World } from '../world/world.js';
import type { Coverage } from './coverage.js';
import { epilogueOf } from './epilogue.js';
import { createSources } from './perform-objects.js';
import { doStep } from './perform.js';
import type { Step, Story } from './steps.js';

/** Makes the invariants of one story. */
export type Invariants = readonly (() => Invariant)[];

/** Those that judge random stories. */
const HOLDING: Invariants = [
  onlyUnwantedGoes,
  removalsAreGuarded,
  onlyAllowedRuns,
  budgetsHold,
  settles,
  unwantedGoes,
  statusIsTrue,
  replacedGetsNothing,
  rolledOutIsTrue,
  dryRunRests,
  wantedComes,
  movesAreTold,
  plansAreTrue,
  onceStays,
  oldReleaseStays,
  replacedIsWaitedFor,
  onlyChangesWait,
  leavingGetsNothing,
  noCredentialGetsNothing,
];

/** Those that judge stored stories only: the defects that they find would stop too many random ones. */
const KNOWN_TO_FAIL: Invariants = [
  pendingSaysWhat,
  resumedInStages,
  approvalsEnd,
  namesAreApart,
  namesOfOneCluster,
  releasesAreHandedOver,
  approvalsAreOfSomething,
];

/** All of them. */
export const ALL: Invariants = [...HOLDING, ...KNOWN_TO_FAIL];

/** The outcome of a story. */
export interface Played {
  readonly world: World;
  /** The findings of the first step that breaks an invariant. */
  readonly findings: readonly Finding[];
  /** How many steps were done; with findings, the last of them is where they are. */
  readonly steps: number;
  /** Whether each step meant something. */
  readonly meant: readonly boolean[];
}

/** How a story is played. */
export interface PlayOptions {
  /** Counts what the story comes across. */
  readonly coverage?: Coverage | undefined;
  /** Default: those that judge random stories. */
  readonly invariants?: Invariants;
  /** Decides about destinations. Default: that of Fairlead. */
  readonly policy?: Policy | undefined;
}

/** The world before the first step. */
function begin({ members, isEngineExternal = false }: Story, policy?: Policy): World {
  const world = new World({ isEngineExternal, policy });
  for (const uid of members) world.members.add(uid);
  createSources(world);
  return world;
}

/** Hours after the story, all Applications are reconciled once more. */
async function wakeAll(world: World): Promise<void> {
  world.process.wakeAll(world.applications());
  await world.settle(1);
}

/** Plays one story, and judges it. */
class Player {
  readonly world: World;
  readonly findings: Finding[] = [];
  readonly meant: boolean[] = [];
  readonly #invariants: readonly Invariant[];
  readonly #recorder: Recorder;
  readonly #coverage: Coverage | undefined;
  #last: Step | undefined;

  constructor(story: Story, { coverage, invariants = HOLDING, policy }: PlayOptions) {
    this.#coverage = coverage;
    this.#invariants = invariants.map((create) => create());
    this.world = begin(story, policy);
    const scene = (memory: Scene['memory']): Scene => ({ world: this.world, memory });
    this.#recorder = new Recorder(this.world, {
      onActions: (actions, memory) => this.#judge((each) => each.onActions?.(actions, scene(memory))),
      onWrites: (writes, memory) => this.#judge((each) => each.onWrites?.(writes, scene(memory))),
    });
  }

  async play(step: Step): Promise<void> {
    const known = { world: this.world, revisions: this.#recorder.revisions };
    const deletion = deletionOf(step, known);
    const isMeant = doStep(this.world, step);
    this.meant.push(isMeant);
    if (isMeant) {
      this.#recorder.acted(deletion ?? actOf(step, known));
      this.#coverage?.countStep(step, this.#last);
      this.#last = step;
    }
    // Nothing happened if it meant nothing.
    const done: Step = isMeant ? step : { do: 'wait', seconds: step.seconds };
    this.#judge((each) => each.onStep?.(done, this.#scene()));
    // The next one follows at once.
    if (step.seconds === 0) return;
    await this.world.settle(step.seconds);
    this.#recorder.settled();
    this.#judge((each) => each.onSettled?.(this.#scene()));
    this.#coverage?.countScene(this.#scene());
  }

  /** Hours after the story; then nothing is written any more, either. */
  async end(): Promise<void> {
    this.#judge((each) => each.onEnd?.(this.#scene()));
    this.#coverage?.countStory(this.#scene(), this.#invariants);
    const { server } = this.world;
    const before = server.writes.length;
    await wakeAll(this.world);
    const idle = server.writes.slice(before).filter(({ actor }) => actor === 'controller');
    const shown = idle.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`);
    if (shown.length > 0)
      this.findings.push({ invariant: 'settles', message: `at rest, writes go on: ${shown.join(', ')}` });
  }

  #scene(): Scene {
    return { world: this.world, memory: this.#recorder.memory };
  }

  #judge(ask: (invariant: Invariant) => readonly string[] | undefined): void {
    for (const each of this.#invariants) {
      for (const message of ask(each) ?? []) this.findings.push({ invariant: each.name, message });
    }
  }
}

/** Plays a story, and what follows every story, to its end, without judging anything. */
export async function playUnjudged(story: Story): Promise<Pick<Played, 'world' | 'meant'>> {
  const world = begin(story);
  const meant: boolean[] = [];
  for (const step of [...story.steps, ...epilogueOf(story)]) {
    meant.push(doStep(world, step));
    if (step.seconds > 0) await world.settle(step.seconds);
  }
  await wakeAll(world);
  return { world, meant };
}

/** Plays a story, and what follows every story, up to the first step at which something is wrong. */
export async function play(story: Story, options: PlayOptions = {}): Promise<Played> {
  const player = new Player(story, options);
  for (const step of [...story.steps, ...epilogueOf(story)]) {
    await player.play(step);
    if (player.findings.length > 0) break;
  }
  if (player.findings.length === 0) await player.end();
  const { world, findings, meant } = player;
  return { world, findings, meant, steps: meant.length };
}
