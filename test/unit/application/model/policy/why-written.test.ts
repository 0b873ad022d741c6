import { expect, it } from '@jest/globals';
import {
  APPLICATION_UID_LABEL,
  CLUSTER_UID_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION,
  SUSPENDED_FOR_REMOVAL_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { isAdoption, whyTie, whyWritten } from '#controllers/application/model/policy/why-written.js';
import { application, deploy, entriesOf } from '../builders.js';

const app = application([deploy('prod', 'eu')]);
const { object } = desiredChild(app, entriesOf(app)[0]!, undefined);
const annotated = (child: Child, annotations: Record<string, string>): Child => ({
  ...child,
  metadata: { ...child.metadata, annotations: { ...child.metadata.annotations, ...annotations } },
});
const withoutOwner: Child = { ...object, metadata: { ...object.metadata, ownerReferences: [] } };

it.each<[string, Child, string | undefined]>([
  ['is as it is wanted', object, undefined],
  ['belongs to nobody', withoutOwner, 'taken over'],
  ['was installed once', annotated(object, { [INSTALLED_ONCE_ANNOTATION]: '1.0.0' }), 'managed again'],
  ['was to be removed', annotated(object, { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: 'true' }), 'needed again'],
  [
    'was edited by somebody',
    { ...object, spec: { ...object.spec, interval: '1h' } },
    'changed by another writer: interval',
  ],
])('why a child is written that %s', (_, live, expected) => {
  expect(whyWritten(live, object)).toBe(expected);
});

it('the UID of its cluster alone is written as well', () => {
  expect(whyWritten(object, annotated(object, { [CLUSTER_UID_ANNOTATION]: 'a' }))).toBe(
    'the UID of its cluster is recorded',
  );
});

it('only a child of nobody, or of an earlier Application of the name, is adopted', () => {
  expect(isAdoption(object, object)).toBe(false);
  expect(isAdoption(withoutOwner, object)).toBe(true);
  const earlier = { ...withoutOwner.metadata, labels: { [APPLICATION_UID_LABEL]: 'uid-0' } };
  expect(whyTie({ ...object, metadata: earlier }, object)).toBe('taken over');
});
