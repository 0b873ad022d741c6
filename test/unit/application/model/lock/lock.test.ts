import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { helmReleaseOf, kustomizationOf, sourceOf } from '#controllers/application/model/spec/flux-spec.js';
import {
  copyName,
  floatingOf,
  floatingText,
  isSameMeaning,
  lockedApplication,
  lockedFields,
  NO_LOCK,
  printLock,
  readLock,
} from '#controllers/application/model/spec/lock.js';
import { filed, range, ranged } from './builders.js';

const LOCK = new Map([[floatingText(range('6.x')), { revision: '6.7.1' }]]);

describe('a lock', () => {
  it('is read as it was printed, whatever its order is', () => {
    const entries = fc.dictionary(fc.string(), fc.record({ revision: fc.string() }));
    fc.assert(
      fc.property(entries, (each) => {
        const pairs = Object.entries(each);
        expect(readLock(printLock(new Map(pairs)))).toEqual(new Map(pairs));
        expect(printLock(new Map([...pairs].reverse()))).toBe(printLock(new Map(pairs)));
      }),
    );
  });

  it.each([undefined, '', 'x', '[]', 'null', '{"a":1}', '{"a":{"revision":1}}'])('is empty in %p', (text) => {
    expect(readLock(text)).toEqual(NO_LOCK);
  });

  it('puts the version that a range means in its place', () => {
    const locked = lockedApplication(ranged('6.x'), LOCK);
    expect(helmReleaseOf(locked)?.chart).toEqual({ chart: 'podinfo', version: '6.7.1' });
    expect(floatingOf(locked)).toEqual([]);
  });

  it('leaves unchanged what it does not have', () => {
    for (const app of [ranged('7.x'), ranged('6.7.0')]) expect(lockedApplication(app, LOCK)).toBe(app);
    const app = ranged('6.x');
    expect(lockedApplication(app, NO_LOCK)).toBe(app);
  });

  it('puts the copy that a source means in its place', () => {
    const source = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
    const lock = new Map([[floatingText({ source }), { revision: 'main@sha1:a' }]]);
    const app = filed({ kind: 'GitRepository', name: 'fleet' });
    const locked = lockedApplication(app, lock);
    const name = copyName(source, 'main@sha1:a');
    expect(sourceOf(locked)).toEqual({ kind: 'GitRepository', name });
    expect(kustomizationOf(locked)).toEqual(kustomizationOf(app));
    expect(lockedApplication(filed({ kind: 'GitRepository', name: 'fleet', namespace: 'base' }), lock)).toEqual(
      filed({ kind: 'GitRepository', name: 'fleet', namespace: 'base' }),
    );
    expect(lockedFields({ path: 'a', sourceRef: source }, app, lock)).toEqual({
      path: 'a',
      sourceRef: { ...source, name },
    });
    const fields = { path: 'a', sourceRef: { ...source, name: 'other' } };
    expect(lockedFields(fields, app, lock)).toBe(fields);
  });

  it('has the same meaning with the same revision', () => {
    expect(isSameMeaning({ revision: '1' }, { revision: '1' })).toBe(true);
    expect(isSameMeaning({ revision: '1' }, { revision: '2' })).toBe(false);
    expect(isSameMeaning({ revision: '1' }, undefined)).toBe(false);
  });
});
