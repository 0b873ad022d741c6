import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextText } from '#cli/inspect/model/rollout-text.js';
import { pendingTable } from '#cli/inspect/pending.js';
import type { Application } from '#api/v1alpha1/application.js';
import { PENDING_REASONS, type PendingReason } from '#api/v1alpha1/pending.js';
import { PendingMemory, pendingStatus } from '#controllers/application/model/status/pending.js';
import type { Row } from '#controllers/application/model/status/rows.js';
import { pendingCommands } from '#queries/views/next-command.js';
import { pendingViews, unlisted } from '#queries/views/pending-view.js';
import { application, deploy } from '../../application/model/builders.js';

const since = '2026-01-01T00:00:00Z';
const row = {
  name: 'eu-prod',
  cluster: 'eu',
  namespace: 'prod',
  reason: 'Stage',
  message: 'waits for "canary"',
} as const;
const app = {
  ...application([deploy('prod')]),
  status: { pending: { total: 3, destinations: [{ ...row, from: 1, to: 2, change: 'values.color', since }] } },
};

it('shows what waits, what would change, and how many more there are', () => {
  const { pending, more } = pendingViews([app, application([])]);
  expect(more).toBe(2);
  const now = Date.parse(since) + 7_200_000;
  expect(pendingTable(pending, { allNamespaces: false, columns: undefined, now })).toBe(
    [
      'APPLICATION   DESTINATION   CLUSTER   FROM   TO   REASON   AGE   MESSAGE',
      'web           eu-prod       eu        1      2    Stage    2h    values.color: waits for "canary"',
    ].join('\n'),
  );
});

interface Waiting {
  readonly reason: PendingReason | undefined;
  readonly to: number | undefined;
}

function rowOf({ reason, to }: Waiting, index: number): Row {
  const name = `c${(index * 37) % 1_000}`;
  const wait = reason && { reason, message: `because of ${reason}`, from: 1, to, change: () => 'values' };
  const where = { name, key: name, cluster: name, namespace: 'prod', release: 'web' };
  const what = { state: 'Ready', revision: undefined, message: '', child: undefined, wanted: true } as const;
  return { ...where, ...what, wait };
}

/** As the controller writes it. */
function written(rows: readonly Row[]): Application {
  const memory = new PendingMemory({ before: undefined, now: since });
  const destinations = rows.map((each) => {
    const { name, cluster, namespace = '', release = '', state } = each;
    const wait = memory.waitOf(each);
    return { name, cluster, namespace, release, state, ...(wait === undefined ? {} : { wait }) };
  });
  const pending = pendingStatus(rows, memory);
  return { ...application([]), status: { destinations, ...(pending === undefined ? {} : { pending }) } };
}

const reasons = Object.keys(PENDING_REASONS) as PendingReason[];
const waiting = fc.record({
  reason: fc.option(fc.constantFrom(...reasons), { nil: undefined }),
  to: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined }),
});

it('has all that wait, each once, and of the first 20 what the status describes', () => {
  fc.assert(
    fc.property(fc.array(waiting, { maxLength: 120 }), (all) => {
      const rows = all.map(rowOf);
      const app = written(rows);
      const { pending, more } = pendingViews([app]);
      expect(more).toBe(0);
      expect(pending.map(({ destination }) => destination).sort()).toEqual(
        rows.flatMap(({ name, wait }) => (wait === undefined ? [] : [name])).sort(),
      );
      const facts = (view: object) => ({ ...view, change: '', message: '' });
      const { pending: described, ...rest } = app.status ?? {};
      // The rows alone say the same, in the same order.
      const derived = pendingViews([{ ...app, status: rest }]).pending;
      expect(derived.map(facts)).toEqual(pending.map(facts));
      expect(pending.slice(0, 20)).toMatchObject(
        (described?.destinations ?? []).map(({ name: destination, reason, message }) => ({
          destination,
          reason,
          message,
        })),
      );
    }),
  );
});

it('says what is known of those that the status does not describe', () => {
  const wait = { reason: 'Window', since, to: 2 };
  const destinations = [{ ...row, state: 'Ready' as const, wait }];
  const { name: destination, cluster } = row;
  const expected = { destination, cluster, reason: 'Window', change: 'installation', since, to: 2 };
  const { pending } = pendingViews([{ ...app, status: { pending: { total: 1, destinations: [] }, destinations } }]);
  expect(pending).toMatchObject([{ ...expected, message: 'It waits for a maintenance window.' }]);
  const child = { kind: 'HelmRelease', name: 'web' };
  const later = { ...wait, reason: 'Later' };
  const [newer] = pendingViews([
    { ...app, status: { destinations: [{ ...destinations[0]!, child, wait: later }] } },
  ]).pending;
  expect(newer).toMatchObject({ reason: 'Later', change: '', message: '' });
});

it('adds what was read of those that the status has no row of, each change once', () => {
  const wait = { reason: 'Stage', from: 1, to: 2, since };
  const listed = { ...row, name: 'b', state: 'Ready' as const, wait };
  const cut = {
    ...app,
    status: { ...app.status, pending: { ...app.status.pending, total: 5 }, destinations: [listed] },
  };
  expect(unlisted(cut)).toBe(3);
  expect(unlisted(application([]))).toBe(0);
  const found = { ...row, from: 1, to: 2, change: 'values.color', since: '' };
  const read = [
    { ...found, message: 'is in the status already' },
    { ...found, name: 'b', since, message: 'says more than the row' },
    { ...found, name: 'c', reason: 'Approval' as const, message: 'is first of what is read' },
  ];
  const { pending, more } = pendingViews([cut], new Map([[cut, read]]));
  expect(more).toBe(2);
  expect(pending).toMatchObject([
    { destination: 'eu-prod', message: 'waits for "canary"', since },
    { destination: 'c', reason: 'Approval', since: '' },
    { destination: 'b', change: 'values.color', message: 'says more than the row', since },
  ]);
});

it('names the commands that approve what waits, for Applications of which something waits', () => {
  const stages = [{ name: 'rest', phase: 'AwaitingApproval', approval: 'rest@2-c0ffee' }];
  const rollout = { revision: 2, id: '2-c0ffee', phase: 'AwaitingApproval', stages };
  const held = { held: 1, approval: 'hotvdrptgc' };
  const waiting = {
    ...app,
    spec: { ...app.spec, rollout: {} },
    status: { ...app.status, rollout, removals: held },
  } as unknown as Application;
  expect(pendingCommands(waiting).map(({ command }) => command)).toEqual([
    'fairlead rollout approve web rest -n shop --revision 2-c0ffee',
    "kubectl annotate --overwrite gapp web -n shop gitops.kubesphere.io/approve-removals='hotvdrptgc'",
  ]);
  expect(pendingCommands({ ...waiting, status: { rollout, removals: held } } as unknown as Application)).toEqual([]);
  expect(nextText(pendingCommands(waiting)).split('\n')).toEqual([
    'Next:',
    '  fairlead rollout approve web rest -n shop --revision 2-c0ffee   # starts the stage',
    expect.stringMatching(/hotvdrptgc' {3}# approves the removals that wait$/),
  ]);
  expect(nextText([])).toBe('');
});
