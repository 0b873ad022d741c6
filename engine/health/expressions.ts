import type { HealthCheckExpression } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { CelBudget, compileCel, type CelExpression } from '#lib/cel/cel.js';
import { TerminalError } from '#lib/errors.js';
import { groupKindOf } from '../member/model/inventory.js';
import { health, otherGeneration, viewOf, type Health, type HealthStatus } from './fields.js';
import { objectHealth } from './object-health.js';

type Rule = (object: Unstructured) => Health;

/** How the health of custom kinds is read, by `group/Kind`. */
export type HealthRules = ReadonlyMap<string, Rule>;

export const NO_RULES: HealthRules = new Map();

/** The order matters: an object that is in progress has not failed. */
const ORDER: readonly (readonly [name: 'inProgress' | 'failed' | 'current', status: HealthStatus])[] = [
  ['inProgress', 'InProgress'],
  ['failed', 'Failed'],
  ['current', 'Current'],
];

interface Step {
  readonly field: string;
  readonly status: HealthStatus;
  readonly expression: CelExpression;
}

function stepsOf(check: HealthCheckExpression, field: string, budget: CelBudget): Step[] {
  return ORDER.flatMap(([name, status]) => {
    const text = check[name];
    if (text === undefined || text === '') return [];
    return [{ field: `${field}.${name}`, status, expression: compileCel({ text, field: `${field}.${name}`, budget }) }];
  });
}

function ruleOf(steps: readonly Step[]): Rule {
  return (object) => {
    const isUnobserved = otherGeneration(viewOf(object)) !== undefined;
    if (isUnobserved) return health('InProgress', 'its latest generation has not been observed yet');
    for (const { field, status, expression } of steps) {
      const answer = expression.evaluate(object);
      if ('problem' in answer) return health('Unknown', `${field}: ${answer.problem}`);
      if (answer.value) return health(status, `${field} is true`);
    }
    return health('InProgress', `none of ${steps.map(({ field }) => field).join(', ')} is true`);
  };
}

/**
 * The rules of `spec.healthCheckExprs`, with the semantics of Flux: a newer generation that was not observed is in
 * progress; then inProgress, failed, current; an expression without a result leaves the health unknown. Throws
 * TerminalError `InvalidCELExpression` for an expression that does not compile, or two entries for one kind.
 */
export function healthRulesOf(checks: readonly HealthCheckExpression[]): HealthRules {
  const rules = new Map<string, Rule>();
  const budget = new CelBudget();
  for (const [index, check] of checks.entries()) {
    const field = `spec.healthCheckExprs[${index}]`;
    const id = groupKindOf(check);
    if (rules.has(id)) {
      const message = `${field} is about ${id}, like an earlier entry: remove one of them`;
      throw new TerminalError('InvalidCELExpression', message);
    }
    rules.set(id, ruleOf(stepsOf(check, field, budget)));
  }
  return rules;
}

/** The health of a live object: by the rule for its kind, else by the rules of kstatus. Never throws. */
export function healthBy(rules: HealthRules, object: Unstructured): Health {
  return rules.get(groupKindOf(object))?.(object) ?? objectHealth(object);
}
