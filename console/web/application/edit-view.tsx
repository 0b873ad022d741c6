import { OnDemand } from '../parts/on-demand.js';
import { useSession } from '../session/session.js';
import { Loading } from '../parts/notice.js';
import '../editor/editor.css';
import type { ViewProps } from './view.js';

async function load() {
  const { EditApplication } = await import('../editor/edit-application.js');
  return EditApplication;
}

/** The form; what is typed belongs to one user. */
export function EditView({ detail: { namespace, name } }: ViewProps) {
  const { user } = useSession();
  if (user === '') return <Loading what="who you are" />;
  return <OnDemand key={user} load={load} props={{ namespace, name }} what="the form" />;
}
