import type { PlannedChange } from '#api/dry-run.js';
import { LIMITS, objectChange, type Finding, type Limits } from '#engine/dry-run/change-set.js';
import type { Difference } from '#engine/drift/compare-object.js';
import { valueAt } from '#engine/drift/difference.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import { cutWithin } from '#lib/text/text.js';
import { defined } from '#lib/plain.js';
import type { ComparedField, ComparedObject } from '../answers/members.js';
import type { ComparedState } from '../answers/words.js';
import { withoutSecrets } from '../views/without-secrets.js';
import { nameText } from './shown-objects.js';

/** What somebody reads of one object. */
const SHOWN: Limits = { ...LIMITS, value: 500 };
const MOST_FIELDS = SHOWN.fields + SHOWN.counted + 1;

function fieldOf({ path, old, new: next }: NonNullable<PlannedChange['fields']>[number]): ComparedField {
  return { path, ...defined({ live: old, wanted: next }) };
}

/** An object with what is known of it. Never throws, whatever a tenant stored. */
export function comparedObject(
  { apiVersion, kind, namespace, name }: ObjectTarget,
  state: ComparedState,
  { message = '', fields = [], moreFields = 0 }: Partial<Pick<PlannedChange, 'message' | 'fields' | 'moreFields'>> = {},
): ComparedObject {
  const names = { apiVersion: nameText(apiVersion), kind: nameText(kind), namespace: nameText(namespace) };
  const said = cutWithin(message, SHOWN.message);
  return { ...names, name: nameText(name), state, message: said, fields: fields.map(fieldOf), moreFields };
}

/** What applying would change, field by field, and which of these values may not be shown. */
function findingOf({ live, dryRun, operations }: Difference): Pick<Finding, 'differences' | 'secretFields'> {
  const [shownLive, shownDryRun] = [withoutSecrets(live), withoutSecrets(dryRun)];
  const differences = operations.slice(0, MOST_FIELDS).map(({ path }) => ({
    path,
    old: valueAt(shownLive, path),
    new: valueAt(shownDryRun, path),
  }));
  // Something of a Secret: it differs, and looks the same.
  const isHidden = ({ old, new: next }: { old: unknown; new: unknown }): boolean => old === next;
  return { differences, secretFields: differences.filter(isHidden).map(({ path }) => path) };
}

/** An object that differs. Throws a RangeError for what nests too deep. */
export function differingObject(
  target: ObjectTarget,
  difference: Difference,
  shown: { fields: boolean },
): ComparedObject {
  const { apiVersion, kind, name, namespace } = target;
  const object = { apiVersion, kind, metadata: { name, namespace } };
  const limits = shown.fields ? SHOWN : { ...SHOWN, fields: 0 };
  return comparedObject(
    target,
    'changed',
    objectChange({ action: 'changed', object, ...findingOf(difference) }, limits),
  );
}
