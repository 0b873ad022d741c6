import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { engineOf } from '#controllers/application/model/spec/flux-spec.js';
import { application, deploy, withStatus } from './builders.js';

describe('the engine that holds an Application', () => {
  it.each<[string, string | undefined, Application]>([
    ['is the one it says', 'argocd', application([], { spec: { kind: 'argocd', argoApp: {} } })],
    ['is the one that it configures', 'argocd', application([], { spec: { argoApp: {} } })],
    ['is the one it began with', 'argocd', withStatus(application([deploy('prod')]), { kind: 'argocd' })],
    ['is ours if it began here', 'fluxcd', withStatus(application([], { spec: { argoApp: {} } }), { kind: 'fluxcd' })],
    ['is ours', 'fluxcd', application([deploy('prod')])],
    ['cannot be told', undefined, application([], { spec: {} })],
  ])('%s', (_, expected, app) => {
    expect(engineOf(app)).toBe(expected);
  });
});
