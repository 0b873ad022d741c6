import type { Application } from '#api/v1alpha1/application.js';
import { keyOf } from '#lib/keys.js';
import type { Deps } from './deps.js';
import { BY_OWNER } from './mappings.js';
import { foundVersion, lockedValid, lookupPlace } from './model/sources/locked.js';
import { foundRevision } from './model/sources/pinned-copy.js';
import { keptRevisions } from './model/spec/history.js';
import type { SourcePlace } from './model/spec/flux-spec.js';
import type { Child } from './model/child/types.js';
import type { Validation } from './model/destinations/validate.js';

/** With one meaning of what floats for all clusters, as far as that is known now. */
export function withLock(
  validation: Validation,
  application: Application,
  { history, charts, pinnable, rules }: Pick<Deps, 'history' | 'charts' | 'pinnable' | 'rules'>,
): Validation {
  if (validation === 'pending' || 'violation' in validation) return validation;
  const sourceAt = (place: SourcePlace): Child | undefined => pinnable.get(place.kind)?.get(place);
  const [newest] = keptRevisions(application, history.kept.byIndex(BY_OWNER, keyOf(application.metadata)));
  return lockedValid(validation, {
    newest,
    find: (floating) =>
      floating.chart === undefined
        ? foundRevision(floating.source, application.metadata.namespace, sourceAt)
        : foundVersion(floating, charts.get(lookupPlace(floating)), rules),
  });
}
