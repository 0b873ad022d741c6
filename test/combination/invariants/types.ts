import type { Memory } from '../model/story.js';
import type { ChildWrite } from '../record/recorder.js';
import type { Step } from '../story/steps.js';
import type { ActionRecord } from '../world/members.js';
import type { World } from '../world/world.js';

/** Something that happened and must not. */
export interface Finding {
  /** Name of the invariant. */
  readonly invariant: string;
  readonly message: string;
}

/** The input of an invariant. */
export interface Scene {
  readonly world: World;
  /** The wishes of users and the runs before this moment. */
  readonly memory: Memory;
}

/** A rule that holds in every story. Each returns what is wrong, as sentences. One value judges one story. */
export interface Invariant {
  readonly name: string;
  /** A step was done, and nobody has reacted to it yet. */
  readonly onStep?: (step: Step, scene: Scene) => readonly string[];
  /** Engines did something on members. */
  readonly onActions?: (actions: readonly ActionRecord[], scene: Scene) => readonly string[];
  /** The controllers wrote children. */
  readonly onWrites?: (writes: readonly ChildWrite[], scene: Scene) => readonly string[];
  /** Nobody has anything to do after a step. */
  readonly onSettled?: (scene: Scene) => readonly string[];
  /** Hours after the last step, when nothing fails any longer and all was approved. */
  readonly onEnd?: (scene: Scene) => readonly string[];
  /** How often something was judged that is rare: a rule that never judges proves nothing. */
  readonly judged?: () => number;
}
