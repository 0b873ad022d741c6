import sortBy from 'lodash/sortBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { backendOf } from './backends/index.js';
import { clusterText } from './cluster.js';
import { isReady } from './current-condition.js';
import { liveReleaseKey, releaseKeyText } from './identity.js';
import { describeChild } from './messages.js';
import { isApplications, isOwned, ownerNames } from './ownership.js';
import { isTerminating } from './state.js';
import type { Child, DesiredChild, Entry, Violation } from './types.js';

/** Whoever is about to create a child may fail, and no event tells. */
const CLAIM_MS = 1_000;

/** The host is one cluster for all namespaces; a kubeconfig is a Secret of one of them. */
function targetValue(namespace: string | undefined, cluster: string, text: string): string {
  return cluster === '' ? `*/${text}` : `${namespace ?? ''}/${cluster}/${text}`;
}

/** Index values of a child: what it applies and where, by its spec and by what it has applied. */
export function targetValues(child: Child): string[] {
  const { stated, applied = stated } = backendOf(child).targetsOf(child);
  const cluster = clusterText(child.spec.kubeConfig);
  return [...new Set([stated, applied])].map((text) => targetValue(child.metadata.namespace, cluster, text));
}

/** Index value of the children that apply the same as an entry to the same place. */
export function targetValueOf(application: Application, entry: Entry, live: Child | undefined): string {
  const text = backendOf(entry.release).targetOf(application, entry, live);
  return targetValue(application.metadata.namespace, entry.release.cluster, text);
}

/** Reserves a target in one namespace: an Application of another one may fail to create what it is about to. */
export function targetClaim({ metadata }: Application, value: string): string {
  return JSON.stringify([metadata.namespace ?? '', value]);
}

/**
 * Index value of what a child is seen to apply, with the rights of its namespace; undefined: its status may be of what it
 * said before, so that it proves nothing now.
 */
export function provenTarget(child: Child): string | undefined {
  if (child.spec.suspend === true || isTerminating(child) || !isReady(child)) return undefined;
  return appliedTarget(child);
}

/** The same by its status alone, which may be of what it said before. */
function appliedTarget(child: Child): string | undefined {
  const { applied } = backendOf(child).targetsOf(child);
  const cluster = clusterText(child.spec.kubeConfig);
  return applied === undefined ? undefined : targetValue(child.metadata.namespace, cluster, applied);
}

/** What is known of a target, by its index value. */
export interface Targets {
  /** The children that apply to it, whoever owns them. */
  readonly childrenAt: (value: string) => readonly Child[];
  /** The last `provenTarget` of a child; undefined: none was seen. Default: undefined. */
  readonly provenOf?: (child: Child) => string | undefined;
  /** Another Application of the same namespace that is about to create such a child. */
  readonly claimantOf: (value: string) => Application | undefined;
}

export interface TargetInput {
  readonly application: Application;
  readonly owned: readonly Child[];
  readonly adoptable: readonly Child[];
  /** Undefined: nobody else applies anything. */
  readonly targets?: Targets | undefined;
  /** The rule for the owner of a release goes first. */
  readonly otherOwnerOf: (entry: Entry) => string | undefined;
}

/** Finds who else applies the objects of the entries of an Application. Never throws. */
export class SameTargets {
  readonly #application: Application;
  readonly #own: ReadonlySet<Child>;
  readonly #targets: Targets | undefined;
  readonly #otherOwnerOf: TargetInput['otherOwnerOf'];
  #retryAfterMs: number | undefined;

  constructor({ application, owned, adoptable, targets, otherOwnerOf }: TargetInput) {
    this.#application = application;
    this.#own = new Set([...owned, ...adoptable]);
    this.#targets = targets;
    this.#otherOwnerOf = otherOwnerOf;
  }

  /** When to look again at what is about to be created, even without an event. */
  get retryAfterMs(): number | undefined {
    return this.#retryAfterMs;
  }

  /** Who applies something keeps it: only what would come to its target, or move there, is refused. */
  violationOf(entry: Entry, live: Child | undefined): Violation | undefined {
    const value = targetValueOf(this.#application, entry, live);
    if (this.#isAt(value, live)) return undefined;
    const other = this.#others(value, entry)[0];
    const message = other === undefined ? this.#claimed(value, entry) : this.#refusal(entry, other);
    return message === undefined ? undefined : { reason: 'ReleaseConflict', message: `${entry.path}: ${message}` };
  }

  /** Of children that keep what others apply as well. */
  warningsOf(wanted: readonly DesiredChild[]): string[] {
    return wanted.flatMap(({ entry, live }) => (live === undefined ? [] : (this.#warningOf(entry, live) ?? [])));
  }

  #warningOf(entry: Entry, live: Child): string | undefined {
    const value = targetValueOf(this.#application, entry, live);
    const other = this.#isAt(value, live) ? this.#others(value, entry)[0] : undefined;
    if (other === undefined) return undefined;
    const { describeTarget, deletionVerb } = backendOf(live);
    const name = this.#nameOf(other);
    const what = `${name} applies ${describeTarget(entry)} as well as ${describeChild(live)}`;
    if (isTerminating(other)) return `${what}, and is being deleted`;
    return `${what}, and the deletion of one ${deletionVerb} it for both: to keep it, set spec.suspend: true on ${this.#again(other)} before you delete that`;
  }

  #isAt(value: string, live: Child | undefined): boolean {
    return live !== undefined && targetValues(live).includes(value);
  }

  #isNear({ metadata }: Child): boolean {
    return metadata.namespace === this.#application.metadata.namespace;
  }

  /** Anybody can write any target into an object of a namespace of his own: there it counts once that was applied. */
  #others(value: string, { release }: Entry): Child[] {
    const isSameRelease = (child: Child): boolean =>
      isApplications(child) && releaseKeyText(liveReleaseKey(child)) === releaseKeyText(release);
    const found = (this.#targets?.childrenAt(value) ?? []).filter((child) => {
      if (!this.#isNear(child)) return this.#hasApplied(child, value);
      // Of two Applications with one release, the rule for its owner decides.
      return !this.#own.has(child) && !isOwned(child, this.#application) && !isSameRelease(child);
    });
    return sortBy(found, [(child) => !this.#isNear(child), ({ metadata }) => metadata.name]);
  }

  /**
   * What was seen to apply something does so until it is deleted, or seen to apply something else: one that is suspended,
   * upgraded or failing has not left it. Only while nothing was seen, as after a start, its status decides.
   */
  #hasApplied(child: Child, value: string): boolean {
    return (this.#targets?.provenOf?.(child) ?? appliedTarget(child)) === value;
  }

  /** Nobody learns of the objects of other namespaces what they are called. */
  #nameOf(other: Child): string {
    if (!this.#isNear(other)) return `a ${other.kind} of another namespace`;
    const [owner] = ownerNames(other);
    return `${describeChild(other)}${owner === undefined ? '' : ` of Application ${owner}`}`;
  }

  #again(other: Child): string {
    return this.#isNear(other) ? describeChild(other) : `that ${other.kind}`;
  }

  #claimed(value: string, entry: Entry): string | undefined {
    const claimant = this.#targets?.claimantOf(value);
    if (claimant === undefined || this.#otherOwnerOf(entry) !== undefined) return undefined;
    this.#retryAfterMs = CLAIM_MS;
    const { targetFields, describeTarget } = backendOf(entry.release);
    return `Application ${keyOf(claimant.metadata)} already applies ${describeTarget(entry)}: set another ${targetFields}`;
  }

  #refusal(entry: Entry, other: Child): string {
    const { describeTarget, deletionVerb, targetFields } = backendOf(other);
    const what = `${this.#nameOf(other)} already applies ${describeTarget(entry)}`;
    if (isTerminating(other)) return `${what}: waiting until it is deleted`;
    const wayOut = `${what}, and its deletion ${deletionVerb} that: set another ${targetFields}`;
    const handOver = `set spec.suspend: true on ${this.#again(other)} and delete it, which ${deletionVerb} nothing`;
    if (!this.#isNear(other)) return `${wayOut}; or, to take it over, have somebody who may ${handOver}`;
    if (ownerNames(other).length > 0) return `${wayOut}, or remove it there first`;
    return `${wayOut}; or, to take it over, ${this.#continued(entry, other)}${handOver}`;
  }

  /** A release whose record lies elsewhere would begin again. */
  #continued({ release }: Entry, other: Child): string {
    const key = liveReleaseKey(other);
    const isContinued = key.storageNamespace === release.storageNamespace;
    if (isContinued || backendOf(other).releaseName(key) === undefined) return '';
    return `set storageNamespace: ${key.storageNamespace} here, then `;
  }
}
