import type { Rule } from '#controllers/application/model/child/verdicts.js';
import { POLICY, type Policy } from '#controllers/application/model/policy/policy.js';

/** A rule by its list and its name. */
export interface RuleOfPolicy {
  readonly list: keyof Policy;
  readonly rule: string;
}

/** Every rule of the policy, in order. */
export function rulesOfPolicy(): RuleOfPolicy[] {
  const lists = Object.keys(POLICY) as (keyof Policy)[]; // the literal has no other keys
  return lists.flatMap((list) => POLICY[list].map(({ name }) => ({ list, rule: name })));
}

/** The policy without one of its rules: the next rule of the list that applies decides instead. */
export function withoutRule({ list, rule }: RuleOfPolicy): Policy {
  return { ...POLICY, [list]: POLICY[list].filter(({ name }) => name !== rule) };
}

function watched<Subject, Facts>(
  rules: readonly Rule<Subject, Facts>[],
  onVerdict: (rule: string) => void,
): Rule<Subject, Facts>[] {
  return rules.map((rule) => ({
    ...rule,
    of: (subject, facts) => {
      const verdict = rule.of(subject, facts);
      if (verdict !== undefined) onVerdict(rule.name);
      return verdict;
    },
  }));
}

/** The policy as it is; it reports each rule that decides. */
export function watchedPolicy(onVerdict: (decided: RuleOfPolicy) => void): Policy {
  const on = (list: keyof Policy) => (rule: string) => onVerdict({ list, rule });
  return {
    entries: watched(POLICY.entries, on('entries')),
    destinations: watched(POLICY.destinations, on('destinations')),
    leftovers: watched(POLICY.leftovers, on('leftovers')),
    deletions: watched(POLICY.deletions, on('deletions')),
  };
}
