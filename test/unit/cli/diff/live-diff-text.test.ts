import { describe, expect, it, test } from '@jest/globals';
import { liveDiffText, liveExitCode } from '#cli/diff/model/change-set.js';
import type { ComparedObject, LiveDiffView } from '#queries/answers/members.js';
import type { ComparedState } from '#queries/answers/words.js';

const object = (state: ComparedState, over: Partial<ComparedObject> = {}): ComparedObject => ({
  ...{
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'web',
    state,
    message: '',
    fields: [],
    moreFields: 0,
  },
  ...over,
});
const view = (objects: readonly ComparedObject[], over: Partial<LiveDiffView> = {}): LiveDiffView => ({
  ...{ application: 'shop/web', name: 'eu', cluster: 'eu', namespace: 'shop', release: 'web' },
  ...{ child: 'HelmRelease shop/web-eu', state: 'Ready', revision: '1', message: '' },
  ...{ objects, more: 0, note: '', problem: '', ...over },
});

describe('what differs on the clusters', () => {
  it('is printed with fields, worst first, and harmless for a terminal', () => {
    const fields = [
      { path: '/data/a', live: '2', wanted: '1' },
      { path: '/data/b', live: '"\u001b[31m\n"' },
      { path: '/data/secret' },
    ];
    const objects = [object('missing'), object('changed', { fields, moreFields: 3 }), object('same'), object('same')];
    const hangs = view([], { cluster: 'us', child: 'HelmRelease shop/web-us', problem: 'no answer\nin time' });
    expect(liveDiffText([view(objects), hangs]).split('\n')).toEqual([
      'HelmRelease shop/web-eu on eu',
      '  missing ConfigMap/shop/web',
      '  changed ConfigMap/shop/web',
      '    data.a: 2 -> 1',
      '    data.b: " [31m " -> (none)',
      '    data.secret: changed, not shown',
      '    and 3 more fields',
      '  1 missing, 1 changed, 2 same',
      'HelmRelease shop/web-us on us',
      '  not read: no answer in time',
    ]);
  });
});

test.each<[string, readonly LiveDiffView[], number]>([
  ['nothing that differs', [view([object('same'), object('ignored')])], 0],
  ['a change', [view([object('same'), object('changed')])], 1],
  ['what is missing', [view([object('missing')])], 1],
  ['what could not be read', [view([object('changed'), object('unreadable')])], 2],
  ['a cluster that does not answer', [view([object('changed')]), view([], { problem: 'no answer' })], 2],
])('the exit code of %s is that of kubectl diff', (_, views, expected) => {
  expect(liveExitCode(views)).toBe(expected);
});
