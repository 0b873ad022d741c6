import type { Receiver } from '#api/flux/receiver.js';
import { CelBudget, compileCel, type CelExpression } from '#controllers/runtime/pure/cel.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { SUPPORTED_TYPES } from './authenticate.js';
import { findTargetProblem, targetsOf, type Target } from './targets.js';

/** What is read of a Receiver: which objects, and which of them a webhook is about. */
export interface Accepted {
  readonly targets: readonly (Target & { readonly expressions: readonly CelExpression[] })[];
}

const VARIABLES = ['res', 'req'];
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
 * `InvalidCELExpression`, with the field and the way out. The expressions share the time that they may take.
 */
export function acceptReceiver(receiver: Receiver, allowCrossNamespace: boolean): Accepted {
  const { spec } = receiver;
  requireType(spec);
  const problem = findTargetProblem(receiver, allowCrossNamespace);
  if (problem !== undefined) throw new TerminalError(problem.reason, problem.message);
  const budget = new CelBudget();
  const compiled = (text: string | undefined, field: string): CelExpression[] =>
    text === undefined || text === '' ? [] : [compileCel({ text, field, variables: VARIABLES, budget })];
  const shared = compiled(spec.resourceFilter, 'spec.resourceFilter');
  return {
    targets: targetsOf(receiver).map((target) => ({
      ...target,
      expressions: [...shared, ...compiled(target.filter, `${target.field}.filter`)],
    })),
  };
}
