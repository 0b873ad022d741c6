import type { Application } from '#api/v1alpha1/application.js';
import { contentOf, validAt } from '#controllers/application/model/destinations/validate.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Earlier, Revisions } from '#controllers/application/model/children/world.js';
import { application, deploy, NO_CLUSTERS, observed, type Deploy, planChildren } from '../builders.js';

export const PIN = 'gitops.kubesphere.io/pin-revision';

/** With these annotations, and these revisions before the second one. */
export function pinnedTo(
  app: Application,
  annotations: Record<string, string>,
  earlier: Record<number, Earlier>,
): Revisions {
  const pins = readPins({ ...app, metadata: { ...app.metadata, annotations } });
  const known = new Map(Object.entries(earlier).map(([number, each]) => [Number(number), each]));
  return { history: { current: 2, isKept: true, remove: [] }, pins, earlier: known };
}

export function validOf(app: Application) {
  const seen = observed(app);
  if ('violation' in seen.validation) throw new Error(seen.validation.violation.message);
  return { seen, valid: seen.validation };
}

export function plan(app: Application, owned: readonly Child[], revisions?: Revisions) {
  const { seen, valid } = validOf(app);
  return planChildren({ ...seen, owned, revisions }, valid);
}

/** What an older version of an Application wanted, seen from it as it is now. */
export function earlierOf(app: Application, old: Application, clusters = NO_CLUSTERS): Earlier {
  const { valid } = validOf(old);
  const content = contentOf(valid.resolved);
  if (content === undefined) throw new Error('it has no content');
  const earlier = validAt(app, content, clusters);
  if ('violation' in earlier) throw new Error(earlier.violation.message);
  return earlier;
}

/** The same, of one with these entries. */
export function before(app: Application, entries: Deploy[]): Earlier {
  return earlierOf(app, application(entries));
}

export const eu = (values: Record<string, unknown>, more: Partial<Deploy> = {}): Deploy =>
  deploy('prod', 'eu', { values, ...more });
export const us = (values: Record<string, unknown>): Deploy => deploy('prod', 'us', { values });

export const valuesOf = (children: readonly Child[]): unknown[] => children.map(({ spec }) => spec['values']);
