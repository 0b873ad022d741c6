import { hash } from 'node:crypto';
import { withoutHeld } from './json/held-map.js';
import { canonicalJson } from './json/lossless-json.js';
import { createLru } from './lru.js';

const sha256 = (text: string | Uint8Array): string => hash('sha256', text);

/** Marks the place of a held map; unguessable, so no text of a user can be one. */
const HELD = `${crypto.randomUUID()}:`;
const MOST_KNOWN = 4_096;
/** The digests of values with held maps, by a digest of the others and of the texts. */
const known = createLru<string>(MOST_KNOWN);
/** By the text of a held map, which is read for each reconciliation. */
const textDigests = new WeakMap<Uint8Array, string>();

function textDigest(text: Uint8Array): string {
  const digest = textDigests.get(text) ?? sha256(text);
  textDigests.set(text, digest);
  return HELD + digest;
}

/** `sha256:<hex>` of the canonical JSON. Held maps in it are parsed once per text, and not for each digest. */
export function digestOf(value: unknown): string {
  const short = withoutHeld(value, textDigest);
  if (short === value) return `sha256:${sha256(canonicalJson(value))}`;
  const key = sha256(canonicalJson(short));
  const digest = known.get(key) ?? `sha256:${sha256(canonicalJson(value))}`;
  known.set(key, digest);
  return digest;
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
