import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** `sha256:<hex>` of the canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
