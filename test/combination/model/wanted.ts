import { CLAIM_RULES } from './claimed.js';
import { keyOf } from './content.js';
import type { Destination } from './destinations.js';
import type { PlainObject, Target } from './facts.js';
import { REMOVAL_RULES } from './removal.js';
import type { Memory } from './story.js';
import { applies, mayMean, type Claim, type TargetMemory } from './targets.js';
import { either, firstOf, held, type Verdict } from './verdict.js';

/** True if another cluster answers than the one that destinations of the same Application were for. */
export function isOfReplaced({ application, clusterKey, leadsTo }: Destination, { records }: Memory): boolean {
  const own = `${application}|${clusterKey}|`;
  return [...records].some(([id, { uid }]) => id.startsWith(own) && uid !== leadsTo);
}

/**
 * The claim on a target that counts: that of its owner, else the first one. A new entry on a cluster that was replaced
 * gets nothing there, so another name of that cluster comes first.
 */
export function claimOn(memory: Memory, target: Target): Claim | undefined {
  const key = keyOf(target);
  const claims = memory.claims.filter((claim) => claim.key === key);
  const owner = memory.targets.get(key)?.owner;
  const own = claims.filter(({ destination }) => destination.application === owner);
  return own.find(({ destination }) => !isOfReplaced(destination, memory)) ?? own[0] ?? claims[0];
}

/** True if a user named one Secret and the destination another one, which are two clusters. */
function isOfAnotherSecret({ kubeConfig, namespace }: PlainObject, { clusterKey }: Destination): boolean {
  return (
    kubeConfig !== undefined && clusterKey.startsWith('Secret/') && clusterKey !== `Secret/${namespace}/${kubeConfig}`
  );
}

function ofNobody(memory: Memory, target: Target, { owner, last }: TargetMemory): Verdict | undefined {
  if (owner !== 'user') return undefined;
  const plain = memory.moment.world.plain.find((each) => applies(each, target));
  if (plain !== undefined && last !== undefined && isOfAnotherSecret(plain, last)) return either('twoSecrets');
  const isLeaving = plain === undefined || plain.isBeingDeleted === true;
  return { ...held('userRelease'), uninstall: isLeaving ? 'may' : 'never' };
}

function ofClaim(memory: Memory, known: TargetMemory, claim: Claim): Verdict | undefined {
  const application = memory.applications.get(claim.destination.application);
  if (application === undefined) return undefined;
  return firstOf(CLAIM_RULES, { memory, target: known.target, known, application, claim });
}

function ofRemoval(memory: Memory, known: TargetMemory): Verdict | undefined {
  const { last, target } = known;
  const application = memory.applications.get(last?.application ?? '');
  if (last === undefined || application === undefined) return undefined;
  return firstOf(REMOVAL_RULES, { memory, target, known, application, last });
}

/** Memories never change. */
const verdicts = new WeakMap<Memory, Map<string, Verdict>>();

/** Returns the users' wish for one target at this moment. A target that no Application ever wanted is not ours. */
export function verdictOf(memory: Memory, target: Target): Verdict {
  const key = keyOf(target);
  const known = verdicts.get(memory) ?? new Map<string, Verdict>();
  verdicts.set(memory, known);
  const verdict = known.get(key) ?? judged(memory, target, key);
  known.set(key, verdict);
  return verdict;
}

function judged(memory: Memory, target: Target, key: string): Verdict {
  const known = memory.targets.get(key);
  const claim = claimOn(memory, target);
  if (claim === undefined && memory.claims.some((each) => mayMean(each, key))) return either('replaced');
  if (known === undefined) return held('notOurs');
  const verdict =
    claim === undefined ? (ofNobody(memory, target, known) ?? ofRemoval(memory, known)) : ofClaim(memory, known, claim);
  return verdict ?? held('notOurs');
}

/** The verdicts of everything that runs or ran, or that somebody wants or wanted, by the keys of the targets. */
export function allVerdicts(memory: Memory): ReadonlyMap<string, Verdict> {
  return new Map([...memory.targets].map(([key, { target }]) => [key, verdictOf(memory, target)]));
}
