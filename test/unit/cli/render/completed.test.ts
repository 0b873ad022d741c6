import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { completed, isApplication, withoutNulls } from '#cli/render/model/completed.js';
import { application, deploy } from '../../application/model/builders.js';

function template(status?: object): KubeObject {
  const metadata = { name: 'web', namespace: 'shop' };
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate', metadata, spec: {} };
  return { ...object, ...(status === undefined ? {} : { status }) };
}

describe('the objects of files as a cluster would have them', () => {
  test('have no nulls, but for those in values, which delete something', () => {
    expect(withoutNulls({ a: null, b: [{ c: null }], values: { d: null } })).toEqual({ b: [{}], values: { d: null } });
  });

  test('are Applications with a UID', () => {
    const { uid, ...metadata } = application([deploy('x')]).metadata;
    const [found] = completed([{ ...application([deploy('x')]), metadata }]);
    expect(uid).toBeDefined();
    expect(found && isApplication(found) && found.metadata.uid).toBe('00000000-0000-0000-0000-000000000000');
  });

  test('are templates that their controller took for valid, each with its revision', () => {
    const [valid, revision] = completed([template()]);
    expect(valid).toMatchObject({ status: { revision: 1, conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(revision).toMatchObject({ kind: 'ControllerRevision', metadata: { name: 'web-1', namespace: 'shop' } });
    expect(completed([template({ revision: 3 })])).toEqual([template({ revision: 3 })]);
  });
});
