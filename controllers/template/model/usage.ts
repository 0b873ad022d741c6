import semver from 'semver';
import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse, type Template } from '#api/v1alpha1/template.js';

/** What is known of a template from the Applications that use it. */
export interface Usage {
  readonly usedBy: number;
  /** The revisions in use. */
  readonly revisions: ReadonlySet<number>;
  /** Newest chart version that runs where revision `newest` is used. */
  readonly chartVersionOf: (newest: number) => string | undefined;
}

function revisionsUsedBy(application: Application, { kind, metadata }: Template): number[] {
  const used = templatesInUse(application.status);
  const own = used.filter((each) => each.kind === kind && each.name === metadata.name);
  return own.filter((each) => each.namespace === metadata.namespace).flatMap(({ revision }) => revision ?? []);
}

/** The lowest version that an Application runs; a status of an earlier version has it as text only. */
function chartVersion({ status }: Application): string | undefined {
  const version = status?.revisions?.[0] ?? status?.revision?.split(' ')[0];
  return semver.valid(version, { loose: true }) === null ? undefined : version;
}

/** Reads `status.templates` and `status.revisions` of Applications that use the template. Never throws. */
export function usageOf(template: Template, users: readonly Application[]): Usage {
  const byUser = users.map((user) => [user, revisionsUsedBy(user, template)] as const);
  const chartVersionOf = (newest: number): string | undefined => {
    const following = byUser.filter(([, revisions]) => revisions.includes(newest)).map(([user]) => user);
    return following.flatMap((user) => chartVersion(user) ?? []).sort((a, b) => semver.rcompare(a, b, true))[0];
  };
  return { usedBy: users.length, revisions: new Set(byUser.flatMap(([, revisions]) => revisions)), chartVersionOf };
}
