import { createHash } from 'node:crypto';

/** Characters of a `shortHash`. */
export const HASH_LENGTH = 10;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS_PER_CHARACTER = 5n;

/** Ten base32 characters (50 bits) of the SHA-256 of `text`. */
export function shortHash(text: string): string {
  const bits = createHash('sha256').update(text).digest().readBigUInt64BE();
  const characters = Array.from({ length: HASH_LENGTH }, (_, index) => {
    const shift = 64n - BITS_PER_CHARACTER * BigInt(index + 1);
    return BASE32[Number((bits >> shift) & 31n)] ?? '';
  });
  return characters.join('');
}

/** `start-hash` of at most `limit` characters, a valid object name when `start` begins like one; equal hash texts give equal names. */
export function hashedName(start: string, hashed: string, limit: number): string {
  const kept = start.slice(0, limit - HASH_LENGTH - 1).replace(/[^a-z0-9]+$/, '');
  return `${kept}-${shortHash(hashed)}`;
}
