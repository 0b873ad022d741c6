import type { Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import {
  kindToSave,
  releaseRequest as endSaving,
  saveRequest,
} from '#controllers/application/model/spec/saved-template.js';
import { engineOf } from '#controllers/application/model/spec/flux-spec.js';
import {
  abandonRequest,
  endAbandonRequest,
  approveRemovalsRequest,
  resumeRequest,
  suspendRequest,
  syncRequest,
} from '#queries/views/requests.js';
import { releaseRequest, rollbackRequest } from '#queries/views/rollback-requests.js';
import { SEEN_FIELDS, ROLLOUT_ACTIONS, rolloutRequest, type Requested } from '#queries/views/rollout-requests.js';
import { listed } from '#lib/text/text.js';
import { isMap } from '#lib/plain.js';
import { Refusal } from './refusal.js';

/** What the body of an action says. */
interface Said {
  readonly force?: boolean;
  readonly reset?: boolean;
  readonly revision?: number;
  readonly cluster?: string;
  readonly stage?: string;
  readonly id?: string;
  readonly approval?: string;
}

export interface ActionInput {
  readonly application: Application;
  readonly said: Said;
  /** Numbers of the revisions that are kept, for those actions that ask for them. */
  readonly kept: readonly number[];
  /** The one of the name that it would be saved as, for those actions that ask for it. */
  readonly template: Template | undefined;
  /** A text that was not there before. */
  readonly at: string;
}

export interface Action {
  /** Below the path of the Application. */
  readonly path: string;
  readonly summary: string;
  /** Fields that its body may have. */
  readonly fields: readonly (keyof Said)[];
  readonly needsRevisions: boolean;
  readonly needsTemplate?: true;
  /** It may change what becomes of the children, so it can be previewed. */
  readonly isPlanned?: true;
  readonly request: (input: ActionInput) => Requested;
}

const FORMS: Readonly<Record<keyof Said, { readonly word: string; readonly is: (value: unknown) => boolean }>> = {
  force: { word: 'true or false', is: (value) => typeof value === 'boolean' },
  reset: { word: 'true or false', is: (value) => typeof value === 'boolean' },
  revision: { word: 'a whole number from 1', is: (value) => Number.isSafeInteger(value) && Number(value) > 0 },
  cluster: {
    word: 'the name of a cluster',
    is: (value) => typeof value === 'string' && /^[^,=\s]{1,332}$/.test(value),
  },
  approval: {
    word: 'the value in the status',
    is: (value) => typeof value === 'string' && value.length <= 253,
  },
  id: { word: 'the id in the status', is: (value) => typeof value === 'string' && value.length <= 63 },
  stage: { word: 'the name of a stage', is: (value) => typeof value === 'string' && value.length <= 63 },
};

const plain = { fields: [], needsRevisions: false } as const;
const planned = { isPlanned: true } as const;

/** The actions of users, each with the request that the command line makes, too. */
export const ACTIONS: readonly Action[] = [
  {
    ...{ path: 'sync', summary: 'Reconcile it now, with its sources', needsRevisions: false },
    fields: ['force', 'reset'],
    request: ({ application, said: { force, reset }, at }) => syncRequest({ application, at, force, reset }),
  },
  {
    ...{ ...planned, ...plain, path: 'suspend', summary: 'Suspend all entries that do not say otherwise' },
    request: ({ application }) => suspendRequest(application),
  },
  {
    ...{ ...planned, ...plain, path: 'resume', summary: 'End that' },
    request: ({ application }) => resumeRequest(application),
  },
  {
    ...{ ...planned, path: 'approve-removals', summary: 'Approve the removals that wait', needsRevisions: false },
    fields: ['approval'],
    request: ({ application, said: { approval } }) => approveRemovalsRequest(application, approval),
  },
  {
    ...{
      ...planned,
      path: 'rollback',
      summary: 'Pin it, or one cluster, to an earlier revision',
      needsRevisions: true,
    },
    fields: ['revision', 'cluster'],
    request: ({ application, kept, said: { revision: to, cluster } }) =>
      rollbackRequest({ application, kept, to, cluster }),
  },
  {
    ...{ ...planned, path: 'release', summary: 'End the pin of it, or of one cluster', needsRevisions: false },
    fields: ['cluster'],
    request: ({ application, said: { cluster } }) => releaseRequest({ application, cluster }),
  },
  {
    ...{ path: 'abandon', summary: 'Give up a cluster that is lost', needsRevisions: false },
    fields: ['cluster'],
    request: ({ application, said: { cluster } }) => abandonRequest(application, cluster),
  },
  {
    ...{ path: 'abandon/end', summary: 'End that', needsRevisions: false },
    fields: ['cluster'],
    request: ({ application, said: { cluster } }) => endAbandonRequest(application, cluster),
  },
  {
    ...{ ...plain, path: 'save-template', summary: 'Save it as a template that follows it', needsTemplate: true },
    request: ({ application, template }) => saveRequest(application, kindToSave(application), template),
  },
  {
    ...{ ...plain, path: 'save-template/release', summary: 'End that; the template stays' },
    request: ({ application }) => endSaving(application),
  },
  ...ROLLOUT_ACTIONS.map((action): Action => {
    const words = { approve: 'Approve the stage that waits', pause: 'Pause rollouts', resume: 'Resume rollouts' };
    const others = { retry: 'Roll out again what was rolled back', abort: 'Go back to the last good revision' };
    const windows = { 'ignore-windows': 'Start a revision outside of its windows, too' };
    return {
      ...{
        ...planned,
        path: `rollout/${action}`,
        summary: { ...words, ...windows, ...others }[action],
        needsRevisions: false,
      },
      fields: SEEN_FIELDS[action] ?? [],
      request: ({ application, said: { stage, revision, id, approval } }) =>
        rolloutRequest(application, action, { stage, revision, id, approval }),
    };
  }),
];

const NAMED = 10;

/** Reads the body of an action, which may be missing. Throws a Refusal (400) that names the field. */
export function saidIn(body: unknown, { fields }: Pick<Action, 'fields'>): Said {
  if (body === undefined || body === null) return {};
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  for (const [key, value] of Object.entries(body)) {
    const field = fields.find((each) => each === key);
    const known = fields.length === 0 ? 'this action has none' : `choose from ${listed(fields, NAMED)}`;
    if (field === undefined) throw new Refusal(400, `${JSON.stringify(key)} is no field of the body; ${known}`);
    if (!FORMS[field].is(value)) throw new Refusal(400, `${field}: it must be ${FORMS[field].word}`);
  }
  return body;
}

/** What an action asks of the Application as it is. Throws a Refusal (400 or 409) if there is nothing to ask for. */
export function requestedBy(action: Action, input: ActionInput) {
  const { name } = input.application.metadata;
  if (engineOf(input.application) === 'argocd') {
    throw new Refusal(400, `${name} has kind argocd, which is not reconciled yet`);
  }
  const requested = action.request(input);
  if ('problem' in requested) throw new Refusal(409, `${name}: ${requested.problem}`);
  return requested;
}
