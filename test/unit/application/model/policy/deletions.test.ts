import { describe, expect, it } from '@jest/globals';
import { INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import { DELETION_RULES, type DeletionFacts } from '#controllers/application/model/policy/leftovers.js';
import { firstVerdict } from '#controllers/application/model/child/verdicts.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, leaving, suspended, work } from '../builders.js';

const CHILD: Child = applied([], work(application([deploy('prod', 'eu')])).steps)[0]!;
const annotations = { [INSTALLED_ONCE_ANNOTATION]: '1.0.0' };
const ONCE: Child = { ...CHILD, metadata: { ...CHILD.metadata, annotations } };

const CASES: readonly [string, Child, Partial<DeletionFacts>, object][] = [
  ['is-being-deleted', leaving(CHILD), { policy: 'Orphan' }, { do: 'keep' }],
  ['policy-is-orphan', CHILD, { policy: 'Orphan' }, { do: 'keep' }],
  ['policy-is-orphan', suspended(ONCE), { policy: 'Orphan' }, { do: 'keep' }],
  ['cluster-was-replaced', CHILD, { held: new Map([[CHILD, 'replaced']]) }, { do: 'keep', why: 'replaced' }],
  ['was-installed-once', ONCE, {}, { do: 'suspend' }],
  ['application-is-deleted', suspended(ONCE), {}, { do: 'delete' }],
  ['application-is-deleted', CHILD, {}, { do: 'delete', why: 'the Application is being deleted' }],
];

describe('a child of an Application that is being deleted', () => {
  it.each(CASES)('%s: %#', (name, child, given, verdict) => {
    const facts: DeletionFacts = { policy: 'Delete', held: new Map(), ...given };
    expect(DELETION_RULES.find((each) => each.of(child, facts) !== undefined)?.name).toBe(name);
    expect(firstVerdict(DELETION_RULES, child, facts)).toMatchObject(verdict);
  });

  it('has a case for each rule', () => {
    expect([...new Set(CASES.map(([name]) => name))]).toEqual(DELETION_RULES.map(({ name }) => name));
  });
});
