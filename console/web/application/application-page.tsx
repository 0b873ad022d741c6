import type { ComponentType } from 'preact';
import type { ApplicationDetail } from '#console/server/model/application-detail.js';
import type { PageProps } from '../page.js';
import { pathTo } from '../model/place.js';
import { Link } from '../navigation.js';
import { NoSuchPage } from '../no-such-page.js';
import { Shown } from '../shown.js';
import { useTitle } from '../title.js';
import { usePolled } from '../use-polled.js';
import { StatusView } from './status-view.js';
import type { ViewProps } from './view.js';

interface View {
  /** Last part of its path; empty for the first one. */
  readonly id: string;
  readonly title: string;
  readonly Content: ComponentType<ViewProps>;
}

/** In the order of their links. */
const VIEWS: readonly View[] = [{ id: '', title: 'Status', Content: StatusView }];

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

/** One Application with all of its destinations. */
export function ApplicationPage({ params }: PageProps) {
  const { namespace = '', name = '', view = '' } = params;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications/${encodeURIComponent(name)}`;
  const polled = usePolled<ApplicationDetail>(path);
  const current = VIEWS.find(({ id }) => id === view);
  useTitle(current === undefined || view === '' ? name : `${current.title} of ${name}`);
  if (current === undefined) return <NoSuchPage />;
  const { Content } = current;
  return (
    <>
      <h1>
        <span class="of">{namespace}/</span>
        {name}
      </h1>
      <ViewLinks of={{ namespace, name }} current={current} />
      <Shown polled={polled} what="the Application">
        {(detail) => <Content detail={detail} path={path} />}
      </Shown>
    </>
  );
}
