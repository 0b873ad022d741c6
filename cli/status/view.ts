import type { Application } from '../../api/v1alpha1/application.js';
import type { ApplicationReason } from '../../api/v1alpha1/conditions.js';
import type { Condition } from '../../api/meta.js';
import { printTable, type Column } from '../table.js';

/** One destination of an Application, as `fairlead status -o json` prints it. */
export interface DestinationView {
  readonly name: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly release: string;
  readonly state: string;
  readonly revision: string;
  readonly message: string;
}

/** One Application, as `fairlead status -o json` prints it. Unknown texts are empty. */
export interface ApplicationView {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  /** `n/m`: destinations that are ready, of those wanted. */
  readonly ready: string;
  readonly state: string;
  /** Reason of the condition Ready. */
  readonly reason: string;
  readonly revision: string;
  readonly message: string;
  readonly destinations: readonly DestinationView[];
}

const MESSAGE_WIDTH = 80;

function stateOf(application: Application, conditions: readonly Condition[]): string {
  const isTrue = (type: string): boolean => conditions.some((item) => item.type === type && item.status === 'True');
  if (application.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (isTrue('Stalled')) return 'Stalled';
  if (conditions.length === 0) return 'Pending';
  if (isTrue('Ready')) return 'Ready';
  return isTrue('Reconciling') ? 'Progressing' : 'Failed';
}

type Status = NonNullable<Application['status']>;

function readyOf(conditions: readonly Condition[]): Pick<ApplicationView, 'reason' | 'message'> {
  if (conditions.length === 0) return { reason: '', message: 'no controller has looked at it yet' };
  const { reason = '', message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return { reason, message };
}

function textsOf({
  summary,
  revision = '',
  destinations = [],
}: Status): Pick<ApplicationView, 'ready' | 'revision' | 'destinations'> {
  return { ready: summary?.ready ?? '', revision, destinations: destinations.map(destinationView) };
}

/** What a user wants to know of one Application; reads its status only. */
export function viewOf(application: Application): ApplicationView {
  const { metadata, spec, status = {} } = application;
  const conditions = status.conditions ?? [];
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    kind: status.kind ?? spec.kind ?? '',
    state: stateOf(application, conditions),
    ...readyOf(conditions),
    ...textsOf(status),
  };
}

type DestinationRow = NonNullable<Status['destinations']>[number];

function destinationView(row: DestinationRow): DestinationView {
  const { name, state, cluster = '', namespace = '', release = '', revision = '', message = '' } = row;
  return { name, cluster, namespace, release, state, revision, message };
}

/** Applications by namespace and name, so that the output only changes when they do. */
export function sortedViews(applications: readonly Application[]): ApplicationView[] {
  const key = (view: ApplicationView): string => `${view.namespace}/${view.name}`;
  return applications.map(viewOf).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

type Row = DestinationView & { readonly application: ApplicationView };

/** States of an Application that somebody should look at. */
const BAD: readonly string[] = ['Stalled', 'Failed'];

/** Of the destinations, each of which has a row. */
const SUMMARY = 'DestinationsFailed' satisfies ApplicationReason;

/** True when something is wrong with the Application that none of its destinations tells. */
function isWrongAsAWhole({ state, reason, message, destinations }: ApplicationView): boolean {
  const isTold = destinations.some((row) => row.message !== '' && message.includes(row.message));
  return BAD.includes(state) && reason !== SUMMARY && !isTold;
}

/**
 * One row per destination. An Application has a row of its own where it has none, and where it is wrong as a whole: what
 * runs may be well.
 */
function rowsOf(view: ApplicationView): Row[] {
  const { destinations, ...own } = view;
  const rows = destinations.map((destination) => ({ ...destination, application: view }));
  const whole = { ...own, name: '', cluster: '', namespace: '', release: '', application: view };
  return destinations.length === 0 || isWrongAsAWhole(view) ? [whole, ...rows] : rows;
}

/** The child's name is in the wide table; here the room is for the cause. */
const CHILD_PREFIX = /^(HelmRelease|Kustomization) \S+: /;

function shortened(text: string): string {
  const [first = ''] = text.replace(CHILD_PREFIX, '').split('\n', 1);
  return first.length > MESSAGE_WIDTH ? `${first.slice(0, MESSAGE_WIDTH - 3)}...` : first;
}

function columnsOf(options: { allNamespaces: boolean; wide: boolean }): Column<Row>[] {
  const { allNamespaces, wide } = options;
  return [
    ...(allNamespaces ? [{ title: 'PROJECT', value: (row: Row) => row.application.namespace }] : []),
    { title: 'APPLICATION', value: (row) => row.application.name },
    ...(wide ? [{ title: 'KIND', value: (row: Row) => row.application.kind }] : []),
    ...(wide ? [{ title: 'READY', value: (row: Row) => row.application.ready }] : []),
    { title: 'DESTINATION', value: (row) => row.name },
    { title: 'CLUSTER', value: (row) => row.cluster },
    { title: 'NAMESPACE', value: (row) => row.namespace },
    { title: 'RELEASE', value: (row) => row.release },
    { title: 'STATE', value: (row) => row.state },
    { title: 'REVISION', value: (row) => row.revision },
    { title: 'MESSAGE', value: (row) => (wide ? row.message : shortened(row.message)) },
  ];
}

/** The table of `fairlead status`: one row per destination. `wide` adds columns and whole messages. */
export function statusTable(
  views: readonly ApplicationView[],
  options: { allNamespaces: boolean; wide: boolean },
): string {
  return printTable(columnsOf(options), views.flatMap(rowsOf));
}
