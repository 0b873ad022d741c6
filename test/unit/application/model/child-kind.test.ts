import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, kindOfChild, resourceOf } from '../../../../controllers/application/model/child-kind.js';
import { application, applied, deploy, files, filesApplication, work } from './builders.js';

const [release] = applied([], work(application([deploy('prod')])).steps);
const [kustomization] = applied([], work(filesApplication([files('prod')])).steps);

describe('a child', () => {
  it.each([
    ['HelmRelease', release!, 'helmreleases', 'helm.toolkit.fluxcd.io/v2'],
    ['Kustomization', kustomization!, 'kustomizations', 'kustomize.toolkit.fluxcd.io/v1'],
  ] as const)('that is a %s is known as one', (kind, child, plural, apiVersion) => {
    expect(kindOfChild(child)).toBe(kind);
    expect(resourceOf(child)).toMatchObject({ kind, plural });
    expect([apiVersionOf(kind), child.apiVersion]).toEqual([apiVersion, apiVersion]);
  });
});
