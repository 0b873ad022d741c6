import { describe, expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { takesAlong, whyUnasked } from '#engine/flux/dry-run.js';

function object(apiVersion: string, kind: string, namespace?: string): Unstructured {
  return { apiVersion, kind, metadata: { name: 'one', ...(namespace === undefined ? {} : { namespace }) } };
}

const FIRST = { kinds: new Set(['example.com/Widget']), namespaces: new Set(['new']) };

describe('a dry run', () => {
  test.each<[string, Unstructured, string | undefined]>([
    ['asks about an object', object('v1', 'ConfigMap', 'old'), undefined],
    ['asks about a cluster-scoped object', object('v1', 'Namespace'), undefined],
    ['cannot ask about a new kind', object('example.com/v1', 'Widget', 'old'), 'not checked: its CRD is created first'],
    ['cannot ask in a new namespace', object('v1', 'ConfigMap', 'new'), 'not checked: its namespace is created first'],
  ])('%s', (_title, given, expected) => {
    expect(whyUnasked(given, FIRST)).toBe(expected);
  });

  test.each<[string, Unstructured, string | undefined]>([
    ['a ConfigMap takes nothing along', object('v1', 'ConfigMap'), undefined],
    ['a namespace takes everything in it along', object('v1', 'Namespace'), 'with everything in it'],
    ['a namespace of another group is none', object('example.com/v1', 'Namespace'), undefined],
  ])('%s', (_title, given, expected) => {
    expect(takesAlong(given)).toBe(expected);
  });
});
