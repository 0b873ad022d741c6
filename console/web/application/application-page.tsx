import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import type { ReadApplication } from '#queries/answers/application.js';
import type { Changed } from '../data/live.js';
import { pathTo } from '../navigation/model/place.js';
import { Link, NoSuchPage, type PageProps, useTitle } from '../navigation/navigation.js';
import { Notice } from '../parts/notice.js';
import { Shown, type Polled, usePolled } from '../data/polled.js';
import { ActionBar } from './action-bar.js';
import { OnDemand, OnDemandOfUser } from '../parts/on-demand.js';
import { EventsView } from './events-view.js';
import { HistoryView } from './history-view.js';
import { ManifestView } from './manifest-view.js';
import { RolloutView } from './rollout-view.js';
import { StatusView } from './status-view.js';
import { TreeView } from './tree-view.js';
import { ValuesView } from './values-view.js';
import type { ViewProps } from './view.js';
import './differences.css';

const loadDifferences = () => import('./differences.js').then(({ Differences }) => Differences);
const loadEditor = () => import('../editor/edit-application.js').then(({ EditApplication }) => EditApplication);

function DifferencesView(props: ViewProps) {
  return <OnDemand load={loadDifferences} props={props} what="the differences" />;
}

/** The form; what is typed belongs to one user. */
function EditView({ detail: { namespace, name } }: ViewProps) {
  return <OnDemandOfUser load={loadEditor} props={{ namespace, name }} what="the form" />;
}

interface View {
  /** Last part of its path; empty for the first one. */
  readonly id: string;
  readonly title: string;
  readonly Content: ComponentType<ViewProps>;
}

/** In the order of their links. */
const VIEWS: readonly View[] = [
  { id: '', title: 'Status', Content: StatusView },
  { id: 'tree', title: 'Tree', Content: TreeView },
  { id: 'events', title: 'Events', Content: EventsView },
  { id: 'values', title: 'Values', Content: ValuesView },
  { id: 'manifest', title: 'Manifest', Content: ManifestView },
  { id: 'differences', title: 'Differences', Content: DifferencesView },
  { id: 'history', title: 'History', Content: HistoryView },
  { id: 'rollout', title: 'Rollout', Content: RolloutView },
  { id: 'edit', title: 'Edit', Content: EditView },
];

interface LinksProps {
  readonly of: Readonly<Record<string, string>>;
  readonly current: View;
}

function ViewLinks({ of, current }: LinksProps) {
  return (
    <nav class="views" aria-label="Views of the Application">
      {VIEWS.map((view) => (
        <Link
          key={view.id}
          to={view.id === '' ? pathTo('application', of) : pathTo('applicationView', { ...of, view: view.id })}
          current={view === current}
        >
          {view.title}
        </Link>
      ))}
    </nav>
  );
}

interface HeadingProps {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly detail: ReadApplication | undefined;
}

function Heading({ namespace, name, path, detail }: HeadingProps) {
  return (
    <div class="heading">
      <h1>
        <span class="of">{namespace}/</span>
        {name}
      </h1>
      {detail === undefined ? null : <ActionBar detail={detail} path={path} />}
    </div>
  );
}

/** What was there when the page was opened. */
function Gone() {
  return (
    <Notice title="It does not exist any longer">
      <p>
        <Link to="/">All Applications</Link>
      </p>
    </Notice>
  );
}

function isOf(own: Changed): (changed: Changed) => boolean {
  return ({ namespace, name }) => namespace === own.namespace && name === own.name;
}

/** True when what was there is there no longer. */
function useGone({ value, problem }: Polled<unknown>): boolean {
  const wasThere = useRef(false);
  wasThere.current ||= value !== undefined;
  return wasThere.current && problem?.kind === 'missing';
}

/** One Application with all of its destinations. */
export function ApplicationPage({ params }: PageProps) {
  const { namespace = '', name = '', view = '' } = params;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications/${encodeURIComponent(name)}`;
  const polled = usePolled<ReadApplication>(path, isOf({ namespace, name }));
  const isGone = useGone(polled);
  const current = VIEWS.find(({ id }) => id === view);
  useTitle(current === undefined || view === '' ? name : `${current.title} of ${name}`);
  if (current === undefined) return <NoSuchPage />;
  const { Content } = current;
  return (
    <>
      <Heading {...{ namespace, name, path }} detail={polled.value} />
      <ViewLinks of={{ namespace, name }} current={current} />
      {isGone ? (
        <Gone />
      ) : (
        <Shown polled={polled} what="the Application">
          {(detail) => <Content detail={detail} path={path} />}
        </Shown>
      )}
    </>
  );
}
