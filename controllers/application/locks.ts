import type { Application } from '../../api/v1alpha1/application.js';
import { keyOf } from '../runtime/pure/keys.js';
import type { Deps } from './deps.js';
import { BY_OWNER } from './mappings.js';
import { foundVersion, lookupPlace } from './model/lock/chart-lookup.js';
import { lockedValid } from './model/lock/locked-valid.js';
import { keptRevisions } from './model/revisions/history.js';
import type { Validation } from './model/validate.js';

/** With one meaning of what floats for all clusters, as far as that is known now. */
export function withLock(
  validation: Validation,
  application: Application,
  { history, charts, rules }: Pick<Deps, 'history' | 'charts' | 'rules'>,
): Validation {
  if (validation === 'pending' || 'violation' in validation) return validation;
  const [newest] = keptRevisions(application, history.kept.byIndex(BY_OWNER, keyOf(application.metadata)));
  return lockedValid(validation, {
    newest,
    find: (floating) => foundVersion(floating, charts.get(lookupPlace(floating)), rules),
  });
}
