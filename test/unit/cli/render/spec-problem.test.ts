import { describe, expect, test } from '@jest/globals';
import { specProblem } from '#cli/render/model/spec-problem.js';
import { application, chartFrom, deploy, type Deploy } from '../../application/model/builders.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const CLUSTER = { kind: 'Cluster', name: 'eu' } as const;

function problemOf(...entries: Deploy[]): string | undefined {
  return specProblem(application(entries).spec);
}

describe('what an API server would refuse of a spec', () => {
  test('is nothing of one that is well', () => {
    expect(problemOf(deploy('prod', 'eu'), deploy('prod'))).toBeUndefined();
  });

  test('is said with the field that a rule is about, wherever it stands', () => {
    const both = deploy('prod', 'eu');
    const entry = { ...both, destination: { ...both.destination, clusterRef: CLUSTER } };
    expect(problemOf(deploy('prod'), entry)).toBe(
      'spec.fluxApp.spec.config.helmRelease.deploy[1].destination: set at most one of kubeConfig, clusterRef, clusterSelector',
    );
    expect(problemOf(deploy('prod', 'eu', { overrides: [{ clusters: {} }] }))).toMatch(
      /deploy\[0\]\.overrides\[0\]\.clusters: set names, selector, or both$/,
    );
  });

  test('is what the schema says before any rule', () => {
    expect(problemOf(deploy('prod', 'eu', { timeout: 'soon' }))).toMatch(/^spec\.fluxApp.*timeout /);
  });

  test('is a change that is not allowed only where there is something to change', () => {
    const { spec } = chartFrom('HelmRepository', { chart: 'web' });
    expect(specProblem({ ...spec, kind: 'argocd' })).toBeUndefined();
    expect(specProblem({ ...spec, kind: 'argocd' }, spec)).toBe(
      'spec.kind: kind cannot be changed: create another Application',
    );
    expect(specProblem(spec, spec)).toBeUndefined();
  });

  test('is found soon with as many entries as there may be', () => {
    const entries = Array.from({ length: 1_000 }, (_, index) => deploy(`n${index}`, 'eu'));
    expect(cpuMsOf(() => expect(problemOf(...entries)).toBeUndefined())).toBeLessThan(20_000);
  });
});
