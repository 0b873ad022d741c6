import isEqual from 'lodash/isEqual.js';
import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import { CLUSTER_REPLACED, CLUSTER_UNREACHABLE, KUBECONFIG_NOT_FOUND } from '#api/flux/conditions.js';
import { secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { APPLICATION_REVISION, APPLICATION_UID_LABEL, recordedUid } from '#api/v1alpha1/labels.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import type { Child, ChildStatus } from '#controllers/application/model/child/types.js';
import { setCondition, timestamp, type NewCondition } from '#lib/kube/conditions.js';
import { ControllerError, TerminalError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { notReady, progressing, type ProgressStatus } from '#engine/flux/model/progress.js';
import type { ActionRecord, Member, Members } from './members.js';
import type { MemoryServer } from './server.js';

/** The surroundings that both engines share. */
export interface EngineWorld {
  readonly server: MemoryServer;
  readonly members: Members;
  readonly nowMs: () => number;
  /** UID of the cluster that the host is. */
  readonly hostUid: string;
  readonly isEngineExternal: boolean;
}

const ENGINE = { actor: 'engine', manager: 'helm-controller' };
/** Key of a Secret that holds the UID of the cluster it leads to. */
export const LEADS_TO = 'value';

type SecretObject = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * The cluster that a child is for, as the engine finds it. Throws TerminalError or TransientError, with the reasons of
 * the embedded engine.
 */
export function memberOf(child: Child, { server, members, hostUid, isEngineExternal }: EngineWorld): Member {
  const { kubeConfig } = child.spec;
  const { namespace } = child.metadata;
  const uid =
    kubeConfig === undefined ? hostUid : leadsTo(server, { namespace, name: kubeConfig.secretRef?.name ?? '' });
  const member = members.get(uid);
  if (member === undefined) throw new TerminalError('KubeConfigInvalid', 'the kubeconfig is not valid YAML');
  if (member.isDown) {
    throw new TransientError('the cluster cannot be reached', { reason: CLUSTER_UNREACHABLE });
  }
  const recorded = recordedUid(child);
  if (isEngineExternal || kubeConfig === undefined || recorded === undefined || recorded === uid) return member;
  throw new TransientError(`the cluster was ${recorded} and is ${uid}`, { reason: CLUSTER_REPLACED });
}

function leadsTo(server: MemoryServer, ref: { readonly namespace: string | undefined; readonly name: string }): string {
  const secret = server.get(secretResource, ref) as SecretObject | undefined; // as users of this world write Secrets
  if (secret === undefined) throw new TerminalError(KUBECONFIG_NOT_FOUND, `Secret ${keyOf(ref)} does not exist`);
  return secret.data?.[LEADS_TO] ?? '';
}

/** Reads and writes of one pass over a child. */
export class EnginePass<Status extends ProgressStatus & ChildStatus> {
  readonly world: EngineWorld;
  readonly #type: ResourceType;
  readonly #now: string;
  child: Child;
  status: Status;

  constructor(world: EngineWorld, type: ResourceType, child: Child) {
    this.world = world;
    this.#type = type;
    this.#now = timestamp(world.nowMs());
    this.child = child;
    this.status = (child.status ?? {}) as Status; // only engines write it
  }

  get key(): string {
    return keyOf(this.child.metadata);
  }

  get moment(): { readonly generation: number; readonly now: string } {
    return { generation: this.child.metadata.generation ?? 1, now: this.#now };
  }

  /** Describes an action of this pass, without what the member adds. */
  record(
    action: ActionRecord['action'],
    why: string,
  ): Omit<ActionRecord, 'order' | 'place' | 'content' | 'version' | 'isWhole'> {
    const { labels = {}, annotations = {}, uid = '' } = this.child.metadata;
    const revision = annotations[APPLICATION_REVISION];
    return {
      ...{ action, why, atMs: this.world.nowMs(), child: this.key, childUid: uid },
      application: labels[APPLICATION_UID_LABEL] ?? applicationOwners(this.child)[0]?.uid,
      revision: revision === undefined ? undefined : Number(revision),
    };
  }

  ensureFinalizer(): void {
    const { finalizers = [] } = this.child.metadata;
    if (!finalizers.includes(FLUX_FINALIZER)) this.#setFinalizers([...finalizers, FLUX_FINALIZER]);
  }

  dropFinalizer(): void {
    const { finalizers = [] } = this.child.metadata;
    this.#setFinalizers(finalizers.filter((name) => name !== FLUX_FINALIZER));
  }

  condition(condition: Omit<NewCondition, 'observedGeneration'>): void {
    const { generation, now } = this.moment;
    const next = { ...condition, observedGeneration: generation };
    const conditions = setCondition([...(this.status.conditions ?? [])], next, now);
    this.status = { ...this.status, conditions };
  }

  progress(message: string): void {
    this.status = progressing(this.status, this.moment, message);
  }

  /** Ready is False, with the reason of the error. Anything but an error of a controller is thrown again. */
  fail(error: unknown, reason: string): void {
    if (!(error instanceof ControllerError)) throw error;
    this.status = notReady(this.status, this.moment, problemOf(error, reason));
  }

  writeStatus(): void {
    const { status, child } = this;
    if (isEqual(status, child.status ?? {})) return;
    this.child = this.world.server.update(this.#type, { ...child, status } as Child, {
      ...ENGINE,
      subresource: 'status',
    }) as Child; // what was read from the same place
  }

  #setFinalizers(finalizers: readonly string[]): void {
    const patch = { type: 'merge', body: { metadata: { finalizers } } } as const;
    this.child = this.world.server.patch(this.#type, this.child.metadata, patch, ENGINE) as Child; // as above
  }
}
