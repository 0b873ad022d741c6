import { expect, test } from '@jest/globals';
import { sourceName, withItsSource } from '#cli/inspect/source.js';
import { sourceViews } from '#queries/views/source-view.js';
import { fluxSpecOf } from '#controllers/application/model/spec/flux-spec.js';
import { application, deploy } from '../../application/model/builders.js';

test.each([
  ['GitRepository/app', 'GitRepository'],
  ['gitrepositories/app', 'GitRepository'],
  ['gitrepo/app', 'GitRepository'],
  ['OCIREPO/app', 'OCIRepository'],
  ['buckets/app', 'Bucket'],
  ['hc/app', 'HelmChart'],
])('%s names a %s', (text, kind) => {
  const { type, name } = sourceName(text);
  expect([type.kind, name]).toEqual([kind, 'app']);
});

test.each(['app', 'GitRepository/', '/app', 'GitRepository/a/b', 'Kustomization/app', 'constructor/app', ''])(
  '%j names none, and the error says which kinds there are',
  (text) => {
    expect(() => sourceName(text)).toThrow(
      / is not KIND\/NAME, e\.g\. GitRepository\/app; the kinds are HelmRepository, /,
    );
  },
);

test('an Application uses the source that was created for its inline one', () => {
  const inline = { repo: 'oci://registry.example.com/charts/web', version: '1.x' };
  const config = { helmRelease: { deploy: [deploy('web')] } };
  const app = application([], { spec: { kind: 'fluxcd', fluxApp: { spec: { source: { inline }, config } } } });
  const { kind = '', name = '' } = fluxSpecOf(app)?.source?.sourceRef ?? {};
  expect(kind).toBe('OCIRepository');
  const source = { apiVersion: 'v1', kind, metadata: { name, namespace: 'shop' } };
  const [view] = sourceViews([source], [withItsSource({ ...app, status: {} })]);
  expect(view?.usedBy).toEqual([{ kind: 'Application', namespace: 'shop', name: 'web' }]);
});
