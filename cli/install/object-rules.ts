import type { KubeObject } from '#api/meta.js';
import { isOurs } from './crd-rules.js';

/** What to do with one object of the controller; `why` is for the user. */
export interface ObjectStep {
  readonly object: KubeObject;
  readonly action: 'apply' | 'leave' | 'refuse';
  readonly why: string;
}

/**
 * An object of somebody else is never overwritten unless the user says so. Their namespace is used as it is: it gets no
 * label of ours, so that an uninstallation leaves it. Pure.
 */
export function objectStep(object: KubeObject, live: KubeObject | undefined, takeOver: boolean): ObjectStep {
  if (live === undefined) return { object, action: 'apply', why: 'not installed yet' };
  if (isOurs(live)) return { object, action: 'apply', why: 'installed by Fairlead' };
  if (object.kind === 'Namespace') return { object, action: 'leave', why: 'somebody else created it' };
  if (takeOver) return { object, action: 'apply', why: 'taken over' };
  return { object, action: 'refuse', why: 'somebody else installed it: --take-over replaces it' };
}
