import { createHash } from 'node:crypto';
import { printGoYaml } from './go-yaml.js';

/** `sha256:<hex>` of UTF-8 text. */
export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Digest of composed values in Flux's form: over the go-yaml text with sorted keys. No values at all, or an empty map,
 * is the digest of nothing.
 */
export function configDigest(values: Readonly<Record<string, unknown>> | undefined): string {
  return sha256(values === undefined || Object.keys(values).length === 0 ? '' : printGoYaml(values));
}
