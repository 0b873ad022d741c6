import { APPROVE_STAGE_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Act, ApplicationName, MomentIndex } from '../model/facts.js';
import type { Step } from '../story/steps.js';
import { childrenOf } from '../story/perform-objects.js';
import { NAMESPACE, type World } from '../world/world.js';
import { targetOfChild } from './facts.js';

/** For each Application, a moment at which each of its revisions was the current one, by number. */
export type RevisionLog = ReadonlyMap<ApplicationName, ReadonlyMap<number, MomentIndex>>;

/** The name by which the model knows an Application. */
export function modelName(app: string): ApplicationName {
  return `${NAMESPACE}/${app}`;
}

interface Known {
  readonly world: World;
  readonly revisions: RevisionLog;
}

function revisionOf({ revisions }: Known, app: string, number: number): MomentIndex | undefined {
  return revisions.get(modelName(app))?.get(number);
}

/** The approval that the annotation has; undefined for that of a revision that nobody knows. */
function stageApproval(app: string, known: Known): Act | undefined {
  const live = known.world.application(app);
  const [stage = '', number = '', mark] = (live?.metadata.annotations?.[APPROVE_STAGE_ANNOTATION] ?? '').split('@');
  const revision = revisionOf(known, app, Number(number.split('-', 1)[0]));
  if (revision === undefined) return undefined;
  const proof = mark === 'unproven' ? { unproven: true } : {};
  return { do: 'approveStage', application: modelName(app), stage, revision, ...proof };
}

function approvalAct({ app, what }: Extract<Step, { readonly do: 'approve' }>, known: Known): Act | undefined {
  const application = modelName(app);
  if (what === 'removals') return { do: 'approveRemovals', application };
  if (what === 'stage') return stageApproval(app, known);
  const { rollout } = known.world.application(app)?.status ?? {};
  const revision = revisionOf(known, app, rollout?.revision ?? 0);
  return revision === undefined ? undefined : { do: what, application, revision };
}

function pinAct(step: Extract<Step, { readonly do: 'pin' }>, known: Known): Act {
  const newest = known.world.application(step.app)?.status?.history?.revision ?? 0;
  const revision = revisionOf(known, step.app, newest - step.back);
  const { cluster } = step;
  return { do: 'pin', application: modelName(step.app), revision, ...(cluster === undefined ? {} : { cluster }) };
}

/** Translates a step into an act for the model. Call it after the step: the step alone doesn't name the revision. */
export function actOf(step: Step, known: Known): Act {
  const edit: Act = { do: 'edit', what: step.do };
  switch (step.do) {
    case 'approve':
      return approvalAct(step, known) ?? edit;
    case 'pin':
      return pinAct(step, known);
    case 'unpin': {
      const cluster = step.cluster === undefined ? {} : { cluster: step.cluster };
      return { do: 'unpin', application: modelName(step.app), ...cluster };
    }
    default:
      return edit;
  }
}

/** The act of a step that deletes a child: asked for before, as nothing of it may be left afterwards. */
export function deletionOf(step: Step, { world }: Known): Act | undefined {
  if (step.do !== 'child' || step.act !== 'delete') return undefined;
  const children = childrenOf(world, step.app);
  const child = children[step.index % Math.max(children.length, 1)];
  if (child === undefined) return undefined;
  return { do: 'deleteChild', application: modelName(step.app), target: targetOfChild(world, child) };
}
