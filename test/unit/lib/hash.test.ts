import { describe, expect, it } from '@jest/globals';
import { hashedName, shortHash } from '#lib/hash.js';

describe('a short hash', () => {
  it('is ten characters that any name may have, and never changes', () => {
    expect(shortHash('fairlead')).toMatch(/^[a-z2-7]{10}$/);
    // What exists in clusters is named by it.
    expect(shortHash('fairlead')).toBe('7hx2v6zbke');
    expect(shortHash('')).toBe('4oymiquy7q');
    expect(shortHash('fairlead')).not.toBe(shortHash('Fairlead'));
  });

  it('ends a name that keeps to its limit', () => {
    expect(hashedName('web', 'x', 253)).toBe(`web-${shortHash('x')}`);
    const long = hashedName(`${'a'.repeat(241)}.-${'b'.repeat(50)}`, 'x', 253);
    expect(long).toBe(`${'a'.repeat(241)}-${shortHash('x')}`);
    expect(hashedName('a'.repeat(300), 'x', 253)).toHaveLength(253);
  });
});
