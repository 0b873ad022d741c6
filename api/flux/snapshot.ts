import type Type from 'typebox';
import { integer, mapOf, object, optional, text, time } from '../schema.js';

export const Snapshot = object('One revision of a Helm release.', {
  apiVersion: optional(text('How the digest is made; without it the digest is not checked.')),
  digest: text('Digest of the release as it was stored.'),
  name: text('Name of the release.'),
  namespace: text('Namespace of the release.'),
  version: integer('Revision of the release.'),
  status: text('State of the revision, e.g. deployed.'),
  action: optional(text('The action that made it, e.g. upgrade.')),
  chartName: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
  appVersion: optional(text('Version of the application in the chart.')),
  configDigest: text('Digest of the values.'),
  firstDeployed: time('When the release was first deployed.'),
  lastDeployed: time('When this revision was deployed.'),
  deleted: optional(time('When the release was deleted.')),
  testHooks: optional(
    mapOf(
      'Results of the tests, by name.',
      object('One test.', {
        lastStarted: optional(time('When it started.')),
        lastCompleted: optional(time('When it ended.')),
        phase: optional(text('Its result, e.g. Succeeded.')),
      }),
    ),
  ),
  ociDigest: optional(text('Digest of the OCI artifact that the chart came from.')),
});
export type Snapshot = Type.Static<typeof Snapshot>;
