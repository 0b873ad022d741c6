import type Type from 'typebox';
import { integer, mapOf, object, optional, text, time } from '../schema.js';

export const Snapshot = object('One revision of a Helm release.', {
  apiVersion: optional(text('Format of the digest; without it the digest is not verified.')),
  digest: text('Digest of the stored release.'),
  name: text('Name of the release.'),
  namespace: text('Namespace of the release.'),
  version: integer('Revision of the release.'),
  status: text('State of the revision, e.g. deployed.'),
  action: optional(text('Action that made the revision, e.g. upgrade.')),
  chartName: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
  appVersion: optional(text('App version of the chart.')),
  configDigest: text('Digest of the values.'),
  firstDeployed: time('Time at which the release was first deployed.'),
  lastDeployed: time('Time at which this revision was deployed.'),
  deleted: optional(time('Time at which the release was deleted.')),
  testHooks: optional(
    mapOf(
      'Results of the tests, by name.',
      object('One test.', {
        lastStarted: optional(time('Time at which it started.')),
        lastCompleted: optional(time('Time at which it ended.')),
        phase: optional(text('Result, e.g. Succeeded.')),
      }),
    ),
  ),
  ociDigest: optional(text('Digest of the OCI artifact that the chart came from.')),
});
export type Snapshot = Type.Static<typeof Snapshot>;
