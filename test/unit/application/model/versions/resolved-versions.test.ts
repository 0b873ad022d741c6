import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { helmReleaseOf, kustomizationOf, sourceOf } from '#controllers/application/model/spec/flux-spec.js';
import {
  copyName,
  unresolvedOf,
  unresolvedText,
  withVersions,
  resolvedFields,
  printVersions,
  readVersions,
} from '#controllers/application/model/spec/resolved-versions.js';
import { filed, range, ranged } from './builders.js';

const VERSIONS = new Map([[unresolvedText(range('6.x')), '6.7.1']]);

describe('resolved versions', () => {
  it('are read as they were printed, whatever their order is', () => {
    const entries = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(entries, (each) => {
        const pairs = Object.entries(each);
        expect(readVersions(printVersions(new Map(pairs)))).toEqual(new Map(pairs));
        expect(printVersions(new Map([...pairs].reverse()))).toBe(printVersions(new Map(pairs)));
      }),
    );
  });

  it.each([undefined, '', 'x', '[]', 'null', '{"a":1}', '{"a":{"revision":1}}'])('are none in %p', (text) => {
    expect(readVersions(text)).toEqual(new Map());
  });

  it('take the place of a range', () => {
    const resolved = withVersions(ranged('6.x'), VERSIONS);
    expect(helmReleaseOf(resolved)?.chart).toEqual({ chart: 'podinfo', version: '6.7.1' });
    expect(unresolvedOf(resolved)).toEqual([]);
  });

  it('leave unchanged what they do not have', () => {
    for (const app of [ranged('7.x'), ranged('6.7.0')]) expect(withVersions(app, VERSIONS)).toBe(app);
    const app = ranged('6.x');
    expect(withVersions(app, new Map())).toBe(app);
  });

  it('have the copy take the place of a source', () => {
    const source = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
    const versions = new Map([[unresolvedText({ source }), 'main@sha1:a']]);
    const app = filed({ kind: 'GitRepository', name: 'fleet' });
    const resolved = withVersions(app, versions);
    const name = copyName(source, 'main@sha1:a');
    expect(sourceOf(resolved)).toEqual({ kind: 'GitRepository', name });
    expect(kustomizationOf(resolved)).toEqual(kustomizationOf(app));
    expect(withVersions(filed({ kind: 'GitRepository', name: 'fleet', namespace: 'base' }), versions)).toEqual(
      filed({ kind: 'GitRepository', name: 'fleet', namespace: 'base' }),
    );
    expect(resolvedFields({ path: 'a', sourceRef: source }, app, versions)).toEqual({
      path: 'a',
      sourceRef: { ...source, name },
    });
    const fields = { path: 'a', sourceRef: { ...source, name: 'other' } };
    expect(resolvedFields(fields, app, versions)).toBe(fields);
  });
});
