import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { TerminalError } from '#lib/errors.js';
import { PatternBudget } from '#lib/text/go-pattern.js';
import { compileSelector } from '../drift/selector.js';
import { reasonText } from '../member/member-failure.js';

/** Where rules are, and the reason of what is thrown because of one that cannot be read. */
interface RulesField {
  readonly field: string;
  readonly reason: string;
}

/**
 * What of an object may differ: `read` makes it of the JSON pointers of all rules that the object matches, once for each
 * choice of rules; undefined where none matches. Throws TerminalError naming a rule that cannot be read.
 */
export function compileIgnoreRules<Out>(
  given: readonly IgnoreRule[],
  { field, reason }: RulesField,
  read: (paths: readonly string[]) => Out,
): (object: Unstructured) => Out | undefined {
  const budget = new PatternBudget();
  const rules = given.map(({ paths, target }, index) => {
    try {
      return { index, paths, isMeant: compileSelector(target, budget) };
    } catch (error: unknown) {
      const message = `${field}[${index}].target: ${reasonText(error)}: correct it, or remove the rule`;
      throw new TerminalError(reason, message);
    }
  });
  const known = new Map<string, Out>();
  return (object) => {
    const matching = rules.filter(({ isMeant }) => isMeant(object));
    if (matching.length === 0) return undefined;
    const key = matching.map(({ index }) => index).join();
    const found = known.get(key) ?? read(matching.flatMap(({ paths }) => paths));
    known.set(key, found);
    return found;
  };
}
