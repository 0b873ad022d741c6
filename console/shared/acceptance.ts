import type { Acceptance } from '#queries/views/accept-cluster.js';
import { isMap } from '#lib/plain.js';
import { Refusal } from './refusal.js';

const FIELDS = ['object', 'clusterUid'] as const;
/** The longest name of an object: kind, group, namespace and name. */
const MAX_LENGTH = 1_024;

/** Reads the body that accepts a cluster. Throws a Refusal (400) that names the field. */
export function acceptanceIn(body: unknown): Acceptance {
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  const odd = Object.keys(body).find((key) => !FIELDS.some((field) => field === key));
  if (odd !== undefined) {
    throw new Refusal(400, `${JSON.stringify(odd)} is no field of the body; choose from ${FIELDS.join(', ')}`);
  }
  const [object, clusterUid] = FIELDS.map((field) => {
    const value = body[field];
    if (typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH) return value;
    throw new Refusal(400, `${field}: it must be a text, as the destinations of the Application have it`);
  });
  return { object: object ?? '', clusterUid: clusterUid ?? '' };
}
