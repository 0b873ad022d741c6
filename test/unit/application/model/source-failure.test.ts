import { describe, expect, it } from '@jest/globals';
import { fetchFailure, isSourceStalled, sourceFailure } from '#controllers/application/model/children/state.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, reporting, work } from './builders.js';

const [made] = applied([], work(application([deploy('prod', 'eu')])).steps);
const fresh: Child = made!;
const waiting = reporting(fresh, 'False', 'SourceNotReady');
const source: Child = { ...fresh, kind: 'HelmRepository', metadata: { name: 'inline-a', namespace: 'shop' } };
const failing = reporting(source, 'False', 'IndexationFailed', '404 Not Found');

function having(child: Child, metadata: Partial<Child['metadata']>): Child {
  return { ...child, metadata: { ...child.metadata, ...metadata } };
}

const FAILURE = 'HelmRepository shop/inline-a: 404 Not Found';

describe('the failure of an inline source', () => {
  it.each<[string, string | undefined, Child, Child | undefined]>([
    ['that its child waits for', FAILURE, waiting, failing],
    ['that nobody made yet', undefined, waiting, undefined],
    ['that was not fetched yet', undefined, waiting, source],
    ['that is being fetched', undefined, waiting, reporting(source, 'Unknown', 'Progressing')],
    ['that was fetched', undefined, waiting, reporting(source, 'True', 'Succeeded')],
    ['of an earlier spec', undefined, waiting, having(failing, { generation: 2 })],
    ['that is being deleted', undefined, waiting, having(failing, { deletionTimestamp: 'x' })],
    ['whose child is well', undefined, reporting(fresh, 'True', 'InstallSucceeded'), failing],
    ['whose child failed on its own', undefined, reporting(fresh, 'False', 'InstallFailed'), failing],
    ['whose child waits for another one', undefined, reporting(fresh, 'False', 'DependencyNotReady'), failing],
    ['whose child was edited since', undefined, having(waiting, { generation: 2 }), failing],
  ])('%s is %p', (_, failure, child, given) => {
    expect(sourceFailure(child, given)).toBe(failure);
  });
});

it('is that of its last fetch, until it is being deleted', () => {
  expect(fetchFailure(failing)).toBe('404 Not Found');
  expect(fetchFailure(having(failing, { deletionTimestamp: 'x' }))).toBeUndefined();
});

describe('an inline source', () => {
  const condition = {
    type: 'Stalled',
    status: 'True',
    reason: 'URLInvalid',
    message: '',
    lastTransitionTime: '',
  } as const;

  it.each<[string, boolean, Child | undefined]>([
    ['that is not there', false, undefined],
    ['that failed, and is tried again', false, failing],
    ['that the engine gave up on', true, { ...source, status: { conditions: [condition] } }],
  ])('%s: stalled %p', (_, stalled, given) => {
    expect(isSourceStalled(given)).toBe(stalled);
  });
});
