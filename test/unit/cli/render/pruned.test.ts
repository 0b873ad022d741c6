import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { pruned, withOwnName } from '#cli/render/model/pruned.js';
import { application, deploy } from '../../application/model/builders.js';

describe('an object of a file', () => {
  test('keeps all fields that it may have, whatever its values are', () => {
    const values = { any: { thing: [{ at: 'all' }] }, ['__proto__']: 1 };
    const wanted = application([deploy('prod', 'eu', { values, timeout: '1m' })]);
    expect(pruned(wanted)).toEqual({ object: wanted, dropped: [] });
  });

  test('loses the others, each with its path', () => {
    const typing = { tiemout: '1m', upgrade: { remediation: { retires: 3 } } } as object;
    const { object, dropped } = pruned(application([deploy('x'), deploy('prod', 'eu', typing)]));
    const path = 'spec.fluxApp.spec.config.helmRelease.deploy[1]';
    expect(dropped).toEqual([`${path}.tiemout`, `${path}.upgrade.remediation.retires`]);
    const kept = deploy('prod', 'eu', { upgrade: { remediation: {} } });
    expect(object).toEqual(application([deploy('x'), kept]));
  });

  test('is told the names that fields of Fleet have here', () => {
    const { dropped } = pruned(
      application([deploy('prod', 'eu', { atomic: true, waitForJobs: true, tiemout: '1m' } as object)]),
    );
    expect(dropped.map(withOwnName)).toEqual([
      expect.stringMatching(/deploy\[0\]\.atomic \(of Fleet; here: install\.remediation and upgrade\.remediation/),
      expect.stringMatching(/deploy\[0\]\.waitForJobs \(of Fleet; here: nothing, as jobs are waited for/),
      expect.stringMatching(/deploy\[0\]\.tiemout$/),
    ]);
  });

  test('is as it is if it is no object of ours', () => {
    const pod = { apiVersion: 'v1', kind: 'Application', metadata: { name: 'a' }, spec: { own: 1 } } as KubeObject;
    expect(pruned(pod)).toEqual({ object: pod, dropped: [] });
    const bare = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name: 'a' } };
    expect(pruned(bare)).toEqual({ object: bare, dropped: [] });
  });
});
