import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  abandonCommands,
  deleteCommands,
  endAbandonCommands,
  removalsCommands,
  rollbackCommands,
  rolloutActionCommands,
  shareCommands,
  suspendCommands,
  syncCommands,
} from '#console/web/application/model/action-commands.js';
import type { Command } from '#console/web/parts/model/commands.js';

const WEB = { namespace: 'shop', name: 'web' };
const ABANDON = 'gitops.kubesphere.io/abandon';
const GAPP = 'applications.gitops.kubesphere.io web --namespace shop';
const TEMPLATE = { ...WEB, kind: 'HelmTemplate' };

/** On clusters where nothing answers. */
function stuck(...abandoned: string[]): Application {
  const annotations = abandoned.length === 0 ? {} : { [ABANDON]: abandoned.join(',') };
  const destinations = ['eu', 'fleet/us'].map((cluster) => ({ name: cluster, cluster, state: 'Unreachable' }));
  return {
    metadata: { ...WEB, annotations, resourceVersion: '7' },
    spec: {},
    status: { destinations },
  } as unknown as Application;
}

test.each<[string, readonly Command[]]>([
  ['fairlead sync web --namespace shop', syncCommands(WEB, { force: false, reset: false })],
  ['fairlead sync web --force --reset --namespace shop', syncCommands(WEB, { force: true, reset: true })],
  ['fairlead suspend web --namespace shop', suspendCommands(WEB, 'suspend')],
  ['fairlead resume web --namespace shop', suspendCommands(WEB, 'resume')],
  ['fairlead rollback web --to 3 --namespace shop', rollbackCommands(WEB, 3, '')],
  ['fairlead rollback web --to 3 --cluster fleet/us --namespace shop', rollbackCommands(WEB, 3, 'fleet/us')],
  ['fairlead rollback web --release --namespace shop', rollbackCommands(WEB, undefined, '')],
  [
    'fairlead rollout approve web prod --namespace shop',
    rolloutActionCommands(WEB, 'approve', { stage: 'prod', approval: 'prod@7' }),
  ],
  [
    'fairlead rollout approve web prod --unproven --namespace shop',
    rolloutActionCommands(WEB, 'approve', { stage: 'prod', approval: 'prod@7@unproven' }),
  ],
  ['fairlead rollout pause web --namespace shop', rolloutActionCommands(WEB, 'pause')],
  [
    "kubectl annotate --overwrite gapp web -n shop gitops.kubesphere.io/approve-removals='a1'",
    removalsCommands(WEB, 'a1'),
  ],
  [`kubectl delete ${GAPP}`, deleteCommands(WEB, false)],
  [`kubectl delete ${GAPP} --cascade=orphan`, deleteCommands(WEB, true)],
  [`kubectl annotate ${GAPP} ${ABANDON}=fleet/us`, abandonCommands(stuck(), 'fleet/us')],
  [`kubectl annotate --overwrite --resource-version=7 ${GAPP} ${ABANDON}=old,eu`, abandonCommands(stuck('old'), 'eu')],
  [
    `kubectl annotate --overwrite --resource-version=7 ${GAPP} ${ABANDON}=old`,
    endAbandonCommands(stuck('old', 'eu'), 'eu'),
  ],
  [`kubectl annotate --overwrite --resource-version=7 ${GAPP} ${ABANDON}-`, endAbandonCommands(stuck('eu'), 'eu')],
  [
    'fairlead template share shop/web --kind HelmTemplate --with dev',
    shareCommands(TEMPLATE, { namespace: 'dev', isAdded: true }),
  ],
  [
    'fairlead template share shop/web --kind HelmTemplate --without dev',
    shareCommands(TEMPLATE, { namespace: 'dev', isAdded: false }),
  ],
])('%s', (command, found) => {
  expect(found).toEqual([{ title: 'The same in a terminal', command }]);
});

test.each(['$(reboot)', 'a b', 'a;b', "a'", '<b>', '', '-n', '--force', 'a\nb', 'a,b'])(
  'nobody copies %j into a shell',
  (text) => {
    for (const subject of [
      { ...WEB, name: text },
      { ...WEB, namespace: text },
    ]) {
      const found = [
        ...syncCommands(subject, { force: true, reset: false }),
        ...suspendCommands(subject, 'suspend'),
        ...rollbackCommands(subject, 1, ''),
        ...deleteCommands(subject, true),
        ...removalsCommands(subject, 'a1'),
        ...shareCommands({ ...TEMPLATE, ...subject }, { namespace: 'dev', isAdded: true }),
        ...endAbandonCommands({ ...stuck('eu'), metadata: { ...stuck('eu').metadata, ...subject } }, 'eu'),
      ];
      expect(found).toEqual([]);
    }
    if (text !== '') expect(rollbackCommands(WEB, 1, text)).toEqual([]);
    expect(rolloutActionCommands(WEB, 'approve', { stage: text })).toEqual([]);
    expect(removalsCommands(WEB, text)).toEqual([]);
    expect(shareCommands(TEMPLATE, { namespace: text, isAdded: true })).toEqual([]);
    expect(shareCommands({ ...TEMPLATE, kind: text }, { namespace: 'dev', isAdded: true })).toEqual([]);
    if (text !== 'a,b' && text !== '') expect(endAbandonCommands(stuck(text, 'eu'), 'eu')).toEqual([]);
  },
);

test('what cannot be abandoned has no command', () => {
  const { metadata, ...rest } = stuck('old');
  const unread = { ...rest, metadata: { ...metadata, resourceVersion: '$(x)' } };
  expect(abandonCommands(unread, 'eu')).toEqual([]);
  expect(abandonCommands(stuck(), 'asia')).toEqual([]);
  expect(endAbandonCommands(stuck(), 'eu')).toEqual([]);
});
