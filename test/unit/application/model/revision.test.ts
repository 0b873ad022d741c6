import { expect, it } from '@jest/globals';
import { revisionOf } from '#controllers/application/model/child/metadata.js';
import type { Child, ChildStatus } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, work } from './builders.js';

const [made] = applied([], work(application([deploy('prod')])).steps);

function child(status: ChildStatus, installed?: string): Child {
  const annotations = installed === undefined ? {} : { 'gitops.kubesphere.io/installed-once': installed };
  return { ...made!, metadata: { ...made!.metadata, annotations }, status };
}

it.each<[string, Child | undefined, string | undefined]>([
  ['of no child', undefined, undefined],
  ['of a child without a report', child({}), undefined],
  ['of a release', child({ history: [{ chartVersion: '2.0.0', status: 'deployed' }] }), '2.0.0'],
  [
    'of a release whose upgrade failed',
    child({
      history: [
        { chartVersion: '2.0.0', status: 'failed' },
        { chartVersion: '1.0.0', status: 'deployed' },
      ],
    }),
    '1.0.0',
  ],
  ['of files', child({ lastAppliedRevision: 'main@sha1:1' }), 'main@sha1:1'],
  ['of what was installed once, restored without a status', child({}, '1.0.0'), '1.0.0'],
  ['of what was installed once without a known revision', child({}, ''), undefined],
])('the revision %s', (_, given, revision) => {
  expect(revisionOf(given)).toBe(revision);
});
