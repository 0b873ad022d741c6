import type { ApplicationMemory } from './applications.js';
import type { Destination } from './destinations.js';
import type { Target } from './facts.js';
import type { RuleName } from './rules.js';
import type { Memory } from './story.js';
import type { Claim, TargetMemory } from './targets.js';

/** The users' wish for a target now, and the sentence of the documentation that says so. */
export interface Verdict {
  /** `held`: whatever runs there is left unchanged. `undecided`: the documentation doesn't say. */
  readonly is: 'wanted' | 'unwanted' | 'held' | 'undecided';
  /**
   * Whether what runs there may be uninstalled. `must`: it has to be, in the end. `may`: both are right. `never`: it
   * stays; of an unwanted target only the child is deleted.
   */
  readonly uninstall: 'must' | 'may' | 'never';
  /** True if it needs room within `maxRemovals`, or an approval. */
  readonly isGuarded: boolean;
  /** Name of a rule in rules.ts. */
  readonly rule: RuleName;
}

/** All that a rule may look at. */
interface Question {
  readonly memory: Memory;
  readonly target: Target;
  readonly known: TargetMemory;
  readonly application: ApplicationMemory;
}

/** About a target that somebody wants. The claim is that of its owner, if the owner has one. */
export interface ClaimQuestion extends Question {
  readonly claim: Claim;
}
/** About a target that nobody wants any more. */
export interface RemovalQuestion extends Question {
  /** The destination that wanted it last. */
  readonly last: Destination;
}

/** A rule has a verdict, or leaves it to the next one. */
export type Rule<About> = (question: About) => Verdict | undefined;

export const held = (rule: RuleName): Verdict => ({ is: 'held', uninstall: 'never', isGuarded: false, rule });
export const wanted = (rule: RuleName): Verdict => ({ is: 'wanted', uninstall: 'never', isGuarded: false, rule });
/** Nobody wants it, and what runs there stays. */
export const stays = (rule: RuleName): Verdict => ({ is: 'unwanted', uninstall: 'never', isGuarded: false, rule });
export const goes = (rule: RuleName, isGuarded = false): Verdict => ({
  is: 'unwanted',
  uninstall: 'must',
  isGuarded,
  rule,
});
/** Nobody wants it, and what runs there may stay or go. */
export const mayGo = (rule: RuleName): Verdict => ({ is: 'unwanted', uninstall: 'may', isGuarded: false, rule });
export const either = (rule: RuleName): Verdict => ({ is: 'undecided', uninstall: 'may', isGuarded: false, rule });

/** The verdict of the first rule that has one. */
export function firstOf<About>(rules: readonly Rule<About>[], question: About): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(question);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** True if the cluster of a destination is compared with the one that it was for. */
export const isProbed = ({ way }: Destination): boolean => way === 'clusterRef' || way === 'clusterSelector';

export const isPinned = ({ clusterPins, pin }: ApplicationMemory, clusterName: string): boolean =>
  pin !== undefined || clusterPins.has(clusterName);

/** True if the pin of a cluster is to what the spec says. */
export function isAtNewest({ clusterPins, pin, revisions }: ApplicationMemory, clusterName: string): boolean {
  const revision = (clusterPins.get(clusterName) ?? pin)?.revision;
  return revision !== undefined && revision === revisions.at(-1);
}
