import type { Application } from '#api/v1alpha1/application.js';

type Source = NonNullable<NonNullable<Application['status']>['sources']>[number];

function meaningOf({ revision, available, message = '' }: Source): string {
  const reason = message === '' ? '' : `: ${message}`;
  if (revision === undefined) return `is not known yet${reason}`;
  const newer = available === undefined ? '' : `; ${available} waits for the end of the rollout`;
  return `means ${revision}${newer}${reason}`;
}

/** What the version ranges of an Application with a rollout mean, a line for each; others follow them on their own. */
export function resolvedLines({ status }: Pick<Application, 'status'>): string[] {
  return (status?.sources ?? []).map((source) => {
    const { kind, namespace, name, chart = '', version = '*' } = source;
    return `chart ${chart} ${version} of ${kind} ${namespace}/${name} ${meaningOf(source)}`;
  });
}
