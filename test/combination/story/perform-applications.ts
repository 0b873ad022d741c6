import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import {
  ABORT_ROLLOUT_ANNOTATION,
  APPROVE_REMOVALS_ANNOTATION,
  APPROVE_STAGE_ANNOTATION,
  PIN_ANNOTATION,
  PIN_CLUSTERS_ANNOTATION,
  RETRY_ROLLOUT_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { getCondition } from '#lib/kube/conditions.js';
import { NAMESPACE, USER, type World } from '../world/world.js';
import { changedAt } from './paths.js';
import type { ApplicationStep } from './steps.js';

function annotate(world: World, { metadata }: Application, annotations: Readonly<Record<string, string | null>>): void {
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
  world.server.patch(applicationResource, metadata, patch, USER);
}

type Approval = Extract<ApplicationStep, { readonly do: 'approve' }>['what'];

/** The annotation that the status asks for. */
const ASKED: Readonly<Record<Approval, (application: Application) => Readonly<Record<string, string>> | undefined>> = {
  stage: ({ status }) => {
    // As users do it: by the command in the message.
    const message = getCondition(status?.conditions, 'RolledOut')?.message ?? '';
    const asked = /approve-stage=([^\s';]+)/.exec(message)?.[1];
    return asked === undefined ? undefined : { [APPROVE_STAGE_ANNOTATION]: asked };
  },
  removals: ({ status }) => {
    const asked = status?.removals?.approval;
    return asked === undefined ? undefined : { [APPROVE_REMOVALS_ANNOTATION]: asked };
  },
  retry: ({ status }) => {
    const { id, phase = '' } = status?.rollout ?? {};
    const isOver = phase === 'Halted' || phase === 'RolledBack' || phase === 'RollingBack';
    return id === undefined || !isOver ? undefined : { [RETRY_ROLLOUT_ANNOTATION]: id };
  },
  abort: ({ status }) => {
    const { id, completedAt } = status?.rollout ?? {};
    return id === undefined || completedAt !== undefined ? undefined : { [ABORT_ROLLOUT_ANNOTATION]: id };
  },
};

/** The annotation that the status of an Application asks for now; undefined: it asks for nothing. */
export function askedApproval(application: Application, what: Approval): Readonly<Record<string, string>> | undefined {
  return ASKED[what](application);
}

/** The pins of single clusters with one more, or one less; null: none is left. */
function clusterPins({ metadata }: Application, cluster: string, revision: string | undefined): string | null {
  const stated = (metadata.annotations?.[PIN_CLUSTERS_ANNOTATION] ?? '').split(',');
  const others = stated.filter((each) => each !== '' && !each.startsWith(`${cluster}=`));
  const pins = revision === undefined ? others : [...others, `${cluster}=${revision}`];
  return pins.length === 0 ? null : pins.join(',');
}

function pin(world: World, application: Application, { back, cluster }: { back: number; cluster?: string }): boolean {
  const newest = application.status?.history?.revision;
  if (newest === undefined || newest - back < 1) return false;
  const revision = String(newest - back);
  if (cluster === undefined) annotate(world, application, { [PIN_ANNOTATION]: revision });
  else annotate(world, application, { [PIN_CLUSTERS_ANNOTATION]: clusterPins(application, cluster, revision) });
  return true;
}

/** Without a pin, that means nothing. */
function unpin(world: World, application: Application, cluster: string | undefined): boolean {
  const { [PIN_ANNOTATION]: pinned, [PIN_CLUSTERS_ANNOTATION]: single = '' } = application.metadata.annotations ?? {};
  const isPinned = cluster === undefined ? pinned !== undefined : `,${single}`.includes(`,${cluster}=`);
  if (!isPinned) return false;
  if (cluster === undefined) annotate(world, application, { [PIN_ANNOTATION]: null });
  else annotate(world, application, { [PIN_CLUSTERS_ANNOTATION]: clusterPins(application, cluster, undefined) });
  return true;
}

function change(world: World, application: Application, step: Exclude<ApplicationStep, { do: 'create' }>): boolean {
  switch (step.do) {
    case 'edit': {
      const spec = changedAt(application.spec, step.at, step.to);
      if (spec === undefined) return false;
      world.server.update(applicationResource, { ...application, spec } as Application, USER);
      return true;
    }
    case 'annotate':
      annotate(world, application, { [step.key]: step.to });
      return true;
    case 'delete': {
      const options = step.cascade === undefined ? {} : { propagationPolicy: step.cascade };
      return world.server.delete(applicationResource, application.metadata, options, USER);
    }
    case 'approve': {
      const asked = askedApproval(application, step.what);
      if (asked !== undefined) annotate(world, application, asked);
      return asked !== undefined;
    }
    case 'pin':
      return pin(world, application, step);
    case 'unpin':
      return unpin(world, application, step.cluster);
  }
}

/** True: the step meant something. */
export function performOnApplication(world: World, step: ApplicationStep): boolean {
  const application = world.application(step.app);
  if (step.do !== 'create') return application !== undefined && change(world, application, step);
  if (application !== undefined) return false;
  const apiVersion = `${applicationResource.group}/${applicationResource.version}`;
  const { annotations = {}, spec } = step;
  const metadata = { name: step.app, namespace: NAMESPACE, annotations: { ...annotations } };
  // The generator writes what the schema allows.
  const object = { apiVersion, kind: 'Application', metadata, spec } as unknown as Application;
  world.server.create(applicationResource, object, USER);
  return true;
}
