import sortBy from 'lodash/sortBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { keyOf } from '#lib/kube/keys.js';
import { backendOf } from '../backends/index.js';
import { clusterText } from '../child/cluster.js';
import { isApplications, isLeftBehind, isOwned, isDeployed, isPlain, ownerNames } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, DesiredChild, Entry, Violation } from '../child/types.js';
import { liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { isTerminating } from './state.js';

/** Milliseconds until a reserved target is checked again. If its owner fails to create the child, no event follows. */
const CLAIM_MS = 1_000;

/** All namespaces share the host cluster, but a kubeconfig Secret belongs to one namespace. */
function targetValue(namespace: string | undefined, cluster: string, text: string): string {
  return cluster === '' ? `*/${text}` : `${namespace ?? ''}/${cluster}/${text}`;
}

/** Index values of a child: its targets by its spec and by its status. */
export function targetValues(child: Child): string[] {
  const { stated, applied = stated } = backendOf(child).targetsOf(child);
  const cluster = clusterText(child.spec.kubeConfig);
  return [...new Set([stated, applied])].map((text) => targetValue(child.metadata.namespace, cluster, text));
}

/** Index value of the target in the spec of a child. */
export function statedTarget(child: Child): string {
  const { stated } = backendOf(child).targetsOf(child);
  return targetValue(child.metadata.namespace, clusterText(child.spec.kubeConfig), stated);
}

/** Index value of the children with the same target as an entry. */
export function targetValueOf(application: Application, entry: Entry, live: Child | undefined): string {
  const text = backendOf(entry.release).targetOf(application, entry, live);
  return targetValue(application.metadata.namespace, entry.release.cluster, text);
}

/** Reserves a target within one namespace. An Application of another namespace may never manage to create its child. */
export function targetClaim({ metadata }: Application, value: string): string {
  return JSON.stringify([metadata.namespace ?? '', value]);
}

/**
 * Index value of the target that a child has certainly applied, with the rights of its namespace. Undefined if its
 * status may belong to an earlier spec, and so proves nothing.
 */
export function provenTarget(child: Child): string | undefined {
  if (child.spec.suspend === true || isTerminating(child) || !isDeployed(child)) return undefined;
  return appliedTarget(child);
}

/** The target in the status of a child, even if that may belong to an earlier spec. */
function appliedTarget(child: Child): string | undefined {
  const { applied } = backendOf(child).targetsOf(child);
  const cluster = clusterText(child.spec.kubeConfig);
  return applied === undefined ? undefined : targetValue(child.metadata.namespace, cluster, applied);
}

/** Look-ups by the index value of a target. */
export interface Targets {
  /** All children with this target, owned or not. */
  readonly childrenAt: (value: string) => readonly Child[];
  /** The last `provenTarget` of a child; undefined: none was seen. Default: undefined. */
  readonly provenOf?: (child: Child) => string | undefined;
  /** Another Application of the same namespace that is about to create a child with this target. */
  readonly claimantOf: (value: string) => Application | undefined;
}

/** The children at one target, and who is about to create one. */
export interface TargetFacts {
  /** All children with this target, owned or not. */
  readonly children: readonly Child[];
  /** Another Application of the same namespace that is about to create a child with this target. */
  readonly claimant: Application | undefined;
}

export interface TargetInput {
  readonly application: Application;
  readonly owned: readonly Child[];
  readonly adoptable: readonly Child[];
  /** By the index value of a target; absent: nobody else applies to it. */
  readonly targets: ReadonlyMap<string, TargetFacts>;
  /** The last `provenTarget` of a child; absent: none was seen. */
  readonly proven: ReadonlyMap<Child, string>;
}

/** An entry with its child, and the owner of its release, if that is another one: that conflict takes precedence. */
interface Applicant {
  readonly entry: Entry;
  readonly live: Child | undefined;
  readonly owner: string | undefined;
}

/** Finds who else applies the objects of the entries of an Application. Never throws. */
export class SameTargets {
  readonly #input: TargetInput;
  readonly #own: ReadonlySet<Child>;
  #retryAfterMs: number | undefined;

  constructor(input: TargetInput) {
    this.#input = input;
    // An offered child is somebody else's until an entry has taken it over.
    const near = input.adoptable.filter((child) => !isLeftBehind(child) && !isPlain(child));
    this.#own = new Set([...input.owned, ...near]);
  }

  /** Milliseconds until a target that another Application reserved must be checked again; no event may follow. */
  get retryAfterMs(): number | undefined {
    return this.#retryAfterMs;
  }

  /**
   * Rejects an entry that is new at a target, or moves to it, while another child has it. Children already there
   * remain. `application`: the one that the entry is from, if that is an earlier revision.
   */
  violationOf({ entry, live, owner }: Applicant, application = this.#input.application): Violation | undefined {
    const value = targetValueOf(application, entry, live);
    if (this.#isAt(value, live)) return undefined;
    const other = this.#others(value, entry, live)[0];
    const message = other === undefined ? this.#claimed(value, entry, owner) : this.#refusal(entry, other);
    return message === undefined ? undefined : { reason: 'ReleaseConflict', message: `${entry.path}: ${message}` };
  }

  /** Warnings for children that stay at a target to which others apply as well. */
  warningsOf(wanted: readonly DesiredChild[]): string[] {
    return wanted.flatMap(({ entry, live }) => (live === undefined ? [] : (this.#warningOf(entry, live) ?? [])));
  }

  #warningOf(entry: Entry, live: Child): string | undefined {
    const value = targetValueOf(this.#input.application, entry, live);
    const other = this.#isAt(value, live) ? this.#others(value, entry, live)[0] : undefined;
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
    return metadata.namespace === this.#input.application.metadata.namespace;
  }

  /**
   * The children at a target besides `live`. Users can write any target into objects of their own namespace. So a child of
   * another namespace counts only once it has applied to the target.
   */
  #others(value: string, { release }: Entry, live: Child | undefined): Child[] {
    const isSameRelease = (child: Child): boolean =>
      isApplications(child) && releaseKeyText(liveReleaseKey(child)) === releaseKeyText(release);
    const found = (this.#input.targets.get(value)?.children ?? []).filter((child) => {
      if (child === live) return false;
      if (!this.#isNear(child)) return this.#hasApplied(child, value);
      // If two Applications want one release, the rule for owners of releases decides.
      return !this.#own.has(child) && !isOwned(child, this.#input.application) && !isSameRelease(child);
    });
    return sortBy(found, [(child) => !this.#isNear(child), ({ metadata }) => metadata.name]);
  }

  /**
   * A child keeps a target that it was seen to apply until it is deleted or seen to apply another. Suspending,
   * upgrading or failing does not change that. If nothing was seen yet, as after a restart, its status decides: a
   * Kustomization that was edited since its last report then proves nothing.
   */
  #hasApplied(child: Child, value: string): boolean {
    return (this.#input.proven.get(child) ?? appliedTarget(child)) === value;
  }

  /** Never reveals the names of objects in other namespaces. */
  #nameOf(other: Child): string {
    if (!this.#isNear(other)) return `a ${other.kind} of another namespace`;
    const [owner] = ownerNames(other);
    return `${describeChild(other)}${owner === undefined ? '' : ` of Application ${owner}`}`;
  }

  #again(other: Child): string {
    return this.#isNear(other) ? describeChild(other) : `that ${other.kind}`;
  }

  #claimed(value: string, entry: Entry, owner: string | undefined): string | undefined {
    const claimant = this.#input.targets.get(value)?.claimant;
    if (claimant === undefined || owner !== undefined) return undefined;
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
    const continued = this.#continued(entry, other);
    return `${wayOut}; or, to take it over, ${continued}${handOver}${continued === '' ? this.#inPlace(other) : ''}`;
  }

  /** The command that offers an object to this Application. */
  #inPlace({ kind, metadata }: Child): string {
    const { name, namespace = '' } = this.#input.application.metadata;
    const command = `fairlead adopt ${kind.toLowerCase()}/${metadata.name} -n ${namespace} --application ${name}`;
    return `; or, if all of it stays, run ${command}`;
  }

  /** The instruction to keep the record of a release in its namespace. Elsewhere, its history would start again. */
  #continued({ release }: Entry, other: Child): string {
    const key = liveReleaseKey(other);
    const isContinued = key.storageNamespace === release.storageNamespace;
    if (isContinued || backendOf(other).releaseName(key) === undefined) return '';
    return `set storageNamespace: ${key.storageNamespace} here, then `;
  }
}
