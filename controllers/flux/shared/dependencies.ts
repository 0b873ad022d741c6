import { TerminalError, WaitingError } from '../../runtime/pure/errors.js';
import { parseKey } from '../../runtime/pure/keys.js';
import type { ApplyingSettings, Dependables } from './deps.js';
import { dependencyKeys, dependencyProblem, foreignExpression, readyExpressions } from './model/dependencies.js';
import type { Applying } from './model/types.js';

/**
 * Throws WaitingError `DependencyNotReady` naming the first dependency that is not ready; TerminalError for an invalid
 * one.
 */
export function requireDependencies(
  { allowCrossNamespace, dependencyRequeueMs }: ApplyingSettings,
  objects: Dependables,
  object: Applying,
  /** Why a dependency that is Ready is not enough; default: it is. */
  whyBehind: (dependency: Applying) => string | undefined = () => undefined,
): void {
  const forbidden = allowCrossNamespace ? undefined : foreignExpression(object);
  if (forbidden !== undefined) throw new TerminalError('AccessDenied', forbidden);
  const expressions = readyExpressions(object);
  for (const [index, key] of dependencyKeys(object).entries()) {
    const facts = { dependency: objects.get(parseKey(key)), ready: expressions[index] };
    const { dependency, ready } = facts;
    // An expression replaces everything else that is asked of a dependency.
    const behind = dependency !== undefined && ready === undefined ? whyBehind(dependency) : undefined;
    const problem = dependencyProblem(object, key, facts) ?? behind;
    if (problem === undefined) continue;
    throw new WaitingError('DependencyNotReady', `dependencies do not meet ready condition: ${problem}`, {
      retryAfterMs: dependencyRequeueMs,
    });
  }
}
