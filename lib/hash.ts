import { hash } from 'node:crypto';
import { canonicalJson } from './json/lossless-json.js';

/** `sha256:<hex>` of the canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${hash('sha256', canonicalJson(value))}`;
}

/** Characters of a `shortHash`. */
export const HASH_LENGTH = 10;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** Of numbers as the bit operators take them. */
const HALF_CHARACTERS = 5;
const HALF_BITS = 25;

function base32(bits: number): string {
  let text = '';
  for (let shift = 5 * (HALF_CHARACTERS - 1); shift >= 0; shift -= 5) text += BASE32[(bits >>> shift) & 31] ?? '';
  return text;
}

/** Ten base32 characters (50 bits) of the SHA-256 of `text`. */
export function shortHash(text: string): string {
  const digest = hash('sha256', text, 'buffer');
  const [high, low] = [digest.readUInt32BE(0), digest.readUInt32BE(4)];
  // The first 25 bits, and the next 25: the last 7 of one word and the first 18 of the other.
  return base32(high >>> (32 - HALF_BITS)) + base32(((high & 0x7f) << 18) | (low >>> 14));
}

/** What is left of `start` in a name of at most `limit` characters that ends with a hash. */
export function hashedStart(start: string, limit: number): string {
  return start.slice(0, limit - HASH_LENGTH - 1).replace(/[^a-z0-9]+$/, '');
}

/**
 * `start-hash` of at most `limit` characters, a valid object name when `start` begins like one; equal hash texts give
 * equal names.
 */
export function hashedName(start: string, hashed: string, limit: number): string {
  return `${hashedStart(start, limit)}-${shortHash(hashed)}`;
}
