import type { ApplicationReason } from '../../api/v1alpha1/conditions.js';
import type { ApplicationView, DestinationView } from '../../controllers/read-model/application-view.js';
import { printTable, type Column } from '../table.js';

const MESSAGE_WIDTH = 80;

type Row = DestinationView & { readonly application: ApplicationView };

/** States of an Application that somebody should look at. */
const BAD: readonly string[] = ['Stalled', 'Failed'];

/** Of the destinations, each of which has a row. */
const SUMMARY = 'DestinationsFailed' satisfies ApplicationReason;

/** True if the Application has a problem that none of its destinations reports. */
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
  const whole = { ...own, name: '', cluster: '', namespace: '', release: '', child: '', application: view };
  return destinations.length === 0 || isWrongAsAWhole(view) ? [whole, ...rows] : rows;
}

/** The name of the child is in the wide table; here the room is for the cause. */
function withoutChild({ child, message }: Row): string {
  const prefix = `${child}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

function shortened(text: string): string {
  const [first = ''] = text.split('\n', 1);
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
    { title: 'MESSAGE', value: (row) => (wide ? row.message : shortened(withoutChild(row))) },
  ];
}

/** The table of `fairlead status`: one row per destination. `wide` adds columns and whole messages. */
export function statusTable(
  views: readonly ApplicationView[],
  options: { allNamespaces: boolean; wide: boolean },
): string {
  return printTable(columnsOf(options), views.flatMap(rowsOf));
}
