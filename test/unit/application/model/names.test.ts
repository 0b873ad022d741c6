import { describe, expect, it } from '@jest/globals';
import { destinationKey, filesName, labelValue } from '#controllers/application/model/child/messages.js';

describe('names', () => {
  it('cut a label value to 63 characters', () => {
    expect(labelValue('a'.repeat(63))).toBe('a'.repeat(63));
    expect(labelValue('a.'.repeat(40))).toMatch(/^[a.]+[a]-[a-z2-7]{10}$/);
    expect(labelValue('a'.repeat(80)).length).toBe(63);
  });

  it('know the destination key as shipped', () => {
    expect(destinationKey(undefined, 'prod')).toBe('prod');
    expect(destinationKey('eu', 'prod')).toBe('eu-prod');
  });

  it('know a destination whose files say their namespace themselves', () => {
    expect([destinationKey(undefined, undefined), destinationKey('eu', undefined)]).toEqual(['host', 'eu']);
  });

  it('distinguish the entries of one Application, and those of two', () => {
    expect([filesName('web', undefined), filesName('web', 'a')]).toEqual(['web', 'web/a']);
    expect(filesName('a'.repeat(80), 'a').length).toBe(65);
  });
});
