import { SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Receiver, ReceiverTarget } from '#api/flux/receiver.js';
import type { ResourceType } from '#api/meta.js';
import { CelBudget } from '#lib/cel/cel.js';
import { TerminalError } from '#lib/errors.js';
import { SUPPORTED_TYPES } from './authenticate.js';
import { compileFilter } from './filters.js';

/** The kinds that a Receiver can reconcile. */
export const TARGET_TYPES: readonly ResourceType[] = [
  ...Object.values(SOURCE_RESOURCES),
  ...[kustomizationResource, helmReleaseResource],
];

/** Objects that a webhook may reconcile. */
export interface Target {
  /** For messages, e.g. `spec.resources[0]`. */
  readonly field: string;
  readonly type: ResourceType;
  readonly namespace: string;
  /** Absent: all that the selector finds. */
  readonly name?: string;
  readonly labelSelector?: string;
  readonly filter?: string;
}

const MOST_ENTRIES = 100;
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** The kind, whichever version of it is written; undefined for one that the engine does not reconcile. */
function typeOf({ apiVersion, kind }: ReceiverTarget): ResourceType | undefined {
  const type = TARGET_TYPES.find((each) => each.kind === kind);
  const isSameGroup = apiVersion === undefined || apiVersion.split('/', 1)[0] === type?.group;
  return isSameGroup ? type : undefined;
}

/** Why labels select nothing; a comma or the like would make another selector of them. */
function labelProblem({ name, matchLabels = {} }: ReceiverTarget): string | undefined {
  const labels = Object.entries(matchLabels);
  if (name !== '*')
    return labels.length === 0 ? undefined : 'matchLabels needs the name *: set it, or remove the labels';
  if (labels.length === 0) return 'the name * needs matchLabels: add them';
  const wrong = labels.find(([key, value]) => !LABEL_KEY.test(key) || !LABEL_VALUE.test(value));
  return wrong === undefined ? undefined : `matchLabels: ${JSON.stringify(wrong[0])} is not a label: correct it`;
}

/** Why one of the resources cannot be reconciled. */
export interface TargetProblem {
  readonly reason: 'AccessDenied' | 'FeatureNotSupported' | 'ValidationFailed';
  readonly message: string;
}

function problemOf(
  target: ReceiverTarget,
  receiver: Receiver,
  allowCrossNamespace: boolean,
): TargetProblem | undefined {
  const { kind, apiVersion, namespace = receiver.metadata.namespace } = target;
  if (typeOf(target) === undefined) {
    const what = apiVersion === undefined ? kind : `${kind} of ${apiVersion}`;
    const message = `${what} is not reconciled by the embedded engine: remove it, or run Flux (--engine=external)`;
    return { reason: 'FeatureNotSupported', message };
  }
  if (!allowCrossNamespace && namespace !== receiver.metadata.namespace) {
    const message = `namespace ${namespace ?? ''} is another one, which --no-cross-namespace-refs or --default-service-account forbids: create the Receiver there`;
    return { reason: 'AccessDenied', message };
  }
  const message = labelProblem(target);
  return message === undefined ? undefined : { reason: 'ValidationFailed', message };
}

/** The first resource that cannot be reconciled; undefined when all can. Never throws. */
export function findTargetProblem(receiver: Receiver, allowCrossNamespace: boolean): TargetProblem | undefined {
  const { length } = receiver.spec.resources;
  if (length > MOST_ENTRIES) {
    const message = `spec.resources has ${length} entries, and at most ${MOST_ENTRIES} are allowed: use matchLabels, or another Receiver`;
    return { reason: 'ValidationFailed', message };
  }
  for (const [index, target] of receiver.spec.resources.entries()) {
    const problem = problemOf(target, receiver, allowCrossNamespace);
    if (problem !== undefined) return { ...problem, message: `spec.resources[${index}]: ${problem.message}` };
  }
  return undefined;
}

/** The objects that a webhook reconciles; only for a Receiver without a problem. */
export function targetsOf({ metadata, spec }: Receiver): Target[] {
  return spec.resources.flatMap((target, index) => {
    const { name, namespace = metadata.namespace ?? '', matchLabels = {}, filter } = target;
    const type = typeOf(target);
    if (type === undefined) return [];
    const labelSelector = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
    return {
      ...{ field: `spec.resources[${index}]`, type, namespace },
      ...(name === '*' ? { labelSelector: labelSelector.join(',') } : { name }),
      ...(filter === undefined || filter === '' ? {} : { filter }),
    };
  });
}

/** What is read of a Receiver: which objects, and which of them a webhook is about. */
export interface Accepted {
  readonly targets: readonly (Omit<Target, 'filter'> & { readonly filters: readonly string[] })[];
}

const WITHOUT_OIDC =
  'is not supported by the embedded engine: use generic-hmac, or generic, whose path is the secret, or run Flux (--engine=external)';

function requireType({ type, oidcProviders = [], secretRef }: Receiver['spec']): void {
  if (!SUPPORTED_TYPES.includes(type))
    throw new TerminalError('FeatureNotSupported', `spec.type ${type} ${WITHOUT_OIDC}`);
  if (oidcProviders.length > 0)
    throw new TerminalError('ValidationFailed', 'spec.oidcProviders is only for the type generic-oidc: remove it');
  if (secretRef === undefined)
    throw new TerminalError('ValidationFailed', 'spec.secretRef is missing: name a Secret with the key token');
}

/**
 * Reads a Receiver. Throws TerminalError: `FeatureNotSupported`, `ValidationFailed`, `AccessDenied` or
 * `InvalidCELExpression`, with the field and the way out.
 */
export function acceptReceiver(receiver: Receiver, allowCrossNamespace: boolean): Accepted {
  const { spec } = receiver;
  requireType(spec);
  const problem = findTargetProblem(receiver, allowCrossNamespace);
  if (problem !== undefined) throw new TerminalError(problem.reason, problem.message);
  const budget = new CelBudget();
  const valid = (text: string | undefined, field: string): string[] => {
    if (text === undefined || text === '') return [];
    compileFilter(text, field, budget);
    return [text];
  };
  const shared = valid(spec.resourceFilter, 'spec.resourceFilter');
  return {
    targets: targetsOf(receiver).map(({ filter, ...target }) => ({
      ...target,
      filters: [...shared, ...valid(filter, `${target.field}.filter`)],
    })),
  };
}
