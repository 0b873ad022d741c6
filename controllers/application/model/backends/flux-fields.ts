import omit from 'lodash/omit.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import type { Layer } from '../layers.js';
import type { Entry, Violation } from '../types.js';

/** `paused` as `suspend`. If both are set, it stays, and a check reports it. */
export function withSuspend(fields: Layer): Layer {
  const { paused, suspend } = fields;
  if (paused === undefined || suspend !== undefined) return fields;
  return { ...omit(fields, 'paused'), suspend: paused };
}

function detectionIn({ driftDetection }: Layer): Layer {
  return isMap(driftDetection) ? driftDetection : {};
}

function withMode(fields: Layer): Layer {
  const { correctDrift } = fields;
  const detection = detectionIn(fields);
  if (!isMap(correctDrift) || correctDrift['force'] === true || detection['mode'] !== undefined) return fields;
  const mode = correctDrift['enabled'] === true ? 'enabled' : 'disabled';
  return { ...omit(fields, 'correctDrift'), driftDetection: { ...detection, mode } };
}

/** `correctDrift` and `ignore` as `driftDetection`. What is set there as well, or Flux cannot do, stays for a check. */
export function withDriftDetection(fields: Layer): Layer {
  const moded = withMode(fields);
  const { ignore } = moded;
  const detection = detectionIn(moded);
  if (ignore === undefined || detection['ignore'] !== undefined) return moded;
  return { ...omit(moded, 'ignore'), driftDetection: { ...detection, ignore } };
}

function conflict(message: string): Violation {
  return { reason: 'FieldConflict', message };
}

function setTwice(path: string, one: string, other: string): Violation {
  return conflict(`${path}.${one} and ${other} say the same thing: remove one of them`);
}

/** What the functions above left. */
export function suspendIsSetTwice({ path, fields }: Entry): Violation | undefined {
  return fields['paused'] === undefined
    ? undefined
    : setTwice(path, 'paused', 'suspend (of the entry, of config, or of its template)');
}

/** The same for drift detection. */
export function driftIsSetTwice({ path, fields }: Entry): Violation | undefined {
  const { correctDrift, ignore } = fields;
  if (isMap(correctDrift) && correctDrift['force'] === true) {
    const message = `${path}.correctDrift.force: Flux corrects drift by server-side apply and recreates nothing; remove it, or set upgrade.force to recreate objects in upgrades`;
    return conflict(message);
  }
  if (correctDrift !== undefined) return setTwice(path, 'correctDrift', 'driftDetection.mode');
  return ignore === undefined ? undefined : setTwice(path, 'ignore', 'driftDetection.ignore');
}
