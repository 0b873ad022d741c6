import { TerminalError, WaitingError } from '#lib/errors.js';
import { parseKey, keyOf } from '#lib/kube/keys.js';
import { CelBudget, compileCel, type CelExpression } from '#lib/cel/cel.js';
import { isTrue } from '#lib/kube/conditions.js';
import type { ApplyingSettings, Dependables } from './deps.js';
import type { Applying } from './model/types.js';

const VARIABLES = ['self', 'dep'];

/** Keys of `spec.dependsOn`, in order; the namespace defaults to the object's own. */
export function dependencyKeys(object: Applying): string[] {
  return (object.spec.dependsOn ?? []).map(({ name, namespace }) =>
    keyOf({ name, namespace: namespace ?? object.metadata.namespace }),
  );
}

/**
 * The `readyExpr` of each dependency, in order; undefined where there is none. Throws TerminalError
 * `InvalidCELExpression` for one that does not compile.
 */
export function readyExpressions({ spec }: Applying): (CelExpression | undefined)[] {
  const budget = new CelBudget();
  return (spec.dependsOn ?? []).map(({ readyExpr }, index) => {
    if (readyExpr === undefined || readyExpr === '') return undefined;
    return compileCel({ text: readyExpr, field: `spec.dependsOn[${index}].readyExpr`, variables: VARIABLES, budget });
  });
}

/**
 * Why an expression about a dependency in another namespace is rejected, if references to other namespaces are: it
 * reads the spec of that object, and its result is in our status. Undefined without such an expression. To wait for an
 * object of another namespace reveals only whether it is ready.
 */
export function foreignExpression(object: Applying): string | undefined {
  const keys = dependencyKeys(object);
  const index = (object.spec.dependsOn ?? []).findIndex(
    ({ namespace, readyExpr = '' }) =>
      readyExpr !== '' && (namespace ?? '') !== '' && namespace !== object.metadata.namespace,
  );
  if (index < 0) return undefined;
  return (
    `spec.dependsOn[${index}].readyExpr: ${object.kind} ${keys[index] ?? ''} is in another namespace, which ` +
    `--no-cross-namespace-refs forbids to read; remove the expression, to wait until it is Ready`
  );
}

/** Nothing observes the generation of a suspended object, so its last report counts. */
function isReady({ metadata, spec, status }: Applying): boolean {
  const isObserved = status?.observedGeneration === metadata.generation || spec.suspend === true;
  return isObserved && isTrue(status?.conditions, 'Ready');
}

/**
 * Why the dependency `key` of an object is not ready; undefined when it is. `ready` replaces the check of generation
 * and condition, as in Flux; without a result the dependency is not ready.
 */
export function dependencyProblem(
  self: Applying,
  key: string,
  { dependency, ready }: { readonly dependency: Applying | undefined; readonly ready?: CelExpression | undefined },
): string | undefined {
  if (dependency === undefined) return `dependency '${key}' not found: create it, or remove it from spec.dependsOn`;
  if (ready === undefined) return isReady(dependency) ? undefined : `dependency '${key}' is not ready`;
  const answer = ready.evaluate({ self, dep: dependency });
  if ('problem' in answer) return `dependency '${key}' is not ready: readyExpr: ${answer.problem}`;
  return answer.value ? undefined : `dependency '${key}' is not ready according to readyExpr`;
}

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
