import type { Receiver } from '#api/flux/receiver.js';
import { CelBudget } from '#lib/cel/cel.js';
import { TerminalError } from '#lib/errors.js';
import { SUPPORTED_TYPES } from './authenticate.js';
import { compileFilter } from './filters.js';
import { findTargetProblem, targetsOf, type Target } from './targets.js';

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
