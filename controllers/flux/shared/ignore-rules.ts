import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { compileSelector } from '../../engine/drift/selector.js';
import { TerminalError } from '../../runtime/pure/errors.js';
import { reasonText } from './failure.js';

/** Each of them is looked for in each object. */
const MAX_PATHS = 200;

/** What of an object is ignored: JSON pointers. */
export type IgnoredPaths = (object: Unstructured) => readonly string[];

/**
 * Rules of a spec, compiled. `where`: the field that they are in, and the reason of what is thrown: a TerminalError that
 * names the rule that cannot be read.
 */
export function compileIgnoreRules(
  given: readonly IgnoreRule[],
  { field, reason }: { readonly field: string; readonly reason: string },
): IgnoredPaths {
  const count = given.reduce((sum, { paths }) => sum + paths.length, 0);
  if (count > MAX_PATHS) {
    throw new TerminalError(reason, `${field} has ${count} paths, and at most ${MAX_PATHS} are supported: remove some`);
  }
  const rules = given.map(({ paths, target }, index) => {
    try {
      return { paths, isMeant: compileSelector(target) };
    } catch (error: unknown) {
      const message = `${field}[${index}].target: ${reasonText(error)}: correct it, or remove the rule`;
      throw new TerminalError(reason, message);
    }
  });
  return (object) => rules.filter(({ isMeant }) => isMeant(object)).flatMap(({ paths }) => paths);
}
