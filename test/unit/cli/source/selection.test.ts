import { expect, test } from '@jest/globals';
import { sourceName } from '#cli/source/selection.js';

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
      / is not KIND\/NAME, e\.g\. GitRepository\/app; the kinds are GitRepository, /,
    );
  },
);
