import { describe, expect, test } from '@jest/globals';
import type { ResourceType } from '#api/meta.js';
import { findMissing } from '#engine/drift/missing.js';
import type { Member } from '#engine/member/member.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { TerminalError, TransientError } from '#lib/errors.js';

/** A server with a few objects, which counts what it is asked. */
interface Server {
  readonly there: readonly string[];
  /** Those with the label of their release. */
  readonly labelled?: readonly string[];
  readonly listError?: Error;
  readonly getError?: Error;
  /** The version that is served now; the cached answer says v1. */
  readonly version?: string;
}

function refused(code: number): TransientError {
  return new TransientError('no', { status: { code, reason: '', causes: [] } });
}

async function ask(server: Server, names: readonly string[], kind = 'ConfigMap') {
  const requests: string[] = [];
  const { there, labelled = there, listError, getError, version = 'v1' } = server;
  const kube = {
    list: (_type: ResourceType, { namespace }: ListQuery) => {
      requests.push(`list ${namespace ?? ''}`);
      if (listError !== undefined) return Promise.reject(listError);
      return Promise.resolve({ items: labelled.map((name) => ({ metadata: { name } })), resourceVersion: '1' });
    },
    get: (type: ResourceType, { name }: { readonly name: string }) => {
      requests.push(`get ${name}`);
      if (getError !== undefined) return Promise.reject(getError);
      return Promise.resolve(type.version === version && there.includes(name) ? { metadata: { name } } : undefined);
    },
  };
  const servedType: Member['servedType'] = (_apiVersion, asked, { afresh } = {}) => {
    if (asked === 'Unknown') return Promise.reject(new TerminalError('NoKindMatch', 'no such kind'));
    const served = { group: '', kind: asked, plural: 'configmaps', namespaced: true };
    return Promise.resolve({ ...served, version: afresh === true ? version : 'v1' });
  };
  const targets = names.map((name): ObjectTarget => ({ apiVersion: 'v1', kind, name, namespace: 'shop' }));
  const signal = new AbortController().signal;
  // Only these two are asked.
  const member = { kube: kube as unknown as Kube, servedType };
  const { missing, unknown } = await findMissing({ member, labelSelector: 'a=b', signal }, targets);
  return { missing: missing.map(({ name }) => name), unknown, requests };
}

describe('objects of one kind and namespace', () => {
  test('need one list, if they are all there', async () => {
    const found = await ask({ there: ['a', 'b', 'c'] }, ['a', 'b', 'c']);
    expect(found).toEqual({ missing: [], unknown: 0, requests: ['list shop'] });
  });

  test('that lost their labels are asked for one by one', async () => {
    const found = await ask({ there: ['a', 'b'], labelled: ['a'] }, ['a', 'b', 'c']);
    expect(found).toEqual({ missing: ['c'], unknown: 0, requests: ['list shop', 'get b', 'get c'] });
  });

  test('need no right to list', async () => {
    expect(await ask({ there: ['a'], listError: refused(403) }, ['a', 'b'])).toMatchObject({ missing: ['b'] });
  });

  test.each([
    ['that nobody may read', { getError: refused(403) }],
    ['whose server has an error', { getError: refused(500) }],
    ['whose server does not answer', { getError: new TransientError('timeout') }],
    ['of which not even the list is answered', { listError: new TransientError('timeout') }],
  ])('%s are not missing', async (_name, errors) => {
    expect(await ask({ there: [], ...errors }, ['a', 'b'])).toMatchObject({ missing: [], unknown: 2 });
  });

  test('of a kind that is not served are not missing', async () => {
    expect(await ask({ there: [] }, ['a', 'b'], 'Unknown')).toMatchObject({ missing: [], unknown: 2 });
  });

  test('of a version that is not served any more are looked for in another one', async () => {
    expect(await ask({ there: ['a'], labelled: [], version: 'v2' }, ['a', 'b'])).toMatchObject({ missing: ['b'] });
  });
});

test('an unreachable cluster ends the reconciliation', async () => {
  const unreachable = new TransientError('no route', { reason: 'ClusterUnreachable' });
  await expect(ask({ there: [], getError: unreachable }, ['a'])).rejects.toBe(unreachable);
});
