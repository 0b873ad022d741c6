import { describe, expect, it } from '@jest/globals';
import type { Kustomization } from '#api/flux/kustomization.js';
import { holderKeys, mayWaitFor } from '#controllers/kustomization/model/waits.js';
import { kustomization } from './builders.js';

interface Facts {
  readonly dependsOn?: readonly string[];
  readonly waitsFor?: readonly string[];
  readonly suspend?: boolean;
  readonly leaving?: boolean;
}

/** One that is the older, the earlier its name. */
function made(name: string, { dependsOn = [], waitsFor = [], suspend = false, leaving = false }: Facts = {}) {
  const notOwned = waitsFor.map((holder) => ({ id: `x-${holder}`, state: 'Waiting' as const, holder }));
  const base = kustomization({ suspend, dependsOn: dependsOn.map((each) => ({ name: each })) }, { notOwned });
  const gone = leaving ? { deletionTimestamp: 'now' } : {};
  return { ...base, metadata: { ...base.metadata, name, uid: name, ...gone } };
}

function ask(own: Kustomization, holder: Kustomization, ...others: readonly Kustomization[]): boolean {
  const all = new Map([holder, ...others].map((each) => [`team/${each.metadata.name}`, each]));
  return mayWaitFor(own, holder, (key) => all.get(key));
}

describe('a Kustomization waits', () => {
  it('for one that waits for nobody', () => {
    expect(ask(made('m'), made('a'))).toBe(true);
    expect(ask(made('m', { dependsOn: ['a'] }), made('a'))).toBe(true);
  });

  it.each<[string, Facts, readonly Kustomization[], boolean]>([
    ['one that depends on it', { dependsOn: ['m'] }, [], false],
    ['one that depends on it through another one', { dependsOn: ['b'] }, [made('b', { dependsOn: ['m'] })], false],
    ['one that depends on what is missing', { dependsOn: ['b'] }, [], true],
    ['one that depends on others', { dependsOn: ['b'] }, [made('b', { dependsOn: ['a'] })], true],
    ['an older one that waits for it', { waitsFor: ['m'] }, [], true],
    ['an older one that waits for it, and is suspended', { waitsFor: ['m'], suspend: true }, [], true],
    ['one that waits for a younger one that waits for it', { waitsFor: ['z'] }, [made('z', { waitsFor: ['m'] })], true],
    [
      'one that depends on a younger one that waits for it',
      { dependsOn: ['z'] },
      [made('z', { waitsFor: ['m'] })],
      false,
    ],
  ])('for %s: %s', (_name, facts, others, expected) => {
    expect(ask(made('m'), made('a', facts), ...others)).toBe(expected);
  });

  it.each<[string, Facts, boolean]>([
    ['that waits for it', { waitsFor: ['m'] }, false],
    ['that waits for it and others', { waitsFor: ['m', 'n'] }, false],
    ['that waits for others', { waitsFor: ['n'] }, true],
  ])('for a younger one %s: %s', (_name, facts, expected) => {
    expect(ask(made('m'), made('z', facts), made('n'))).toBe(expected);
  });
});

it('one that is suspended, or being deleted, waits for nobody', () => {
  expect(holderKeys(made('m', { waitsFor: ['a'] }))).toEqual(['team/a']);
  expect(holderKeys(made('m', { waitsFor: ['a'], suspend: true }))).toEqual([]);
  expect(holderKeys(made('m', { waitsFor: ['a'], leaving: true }))).toEqual([]);
});
