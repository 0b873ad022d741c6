import { useNavigation, useTitle } from './navigation/navigation.js';
import { Loading } from './parts/notice.js';
import { OnDemand } from './parts/on-demand.js';
import { useSession } from './session/session.js';
import './editor/editor.css';

async function load() {
  const { NewApplication } = await import('./editor/new-application.js');
  return NewApplication;
}

/** Its query may say what to begin with: `namespace`, `name` and `template`. */
export function NewApplicationPage() {
  const { user } = useSession();
  const { search } = useNavigation();
  useTitle('New Application');
  return (
    <>
      <h1>New Application</h1>
      {user === '' ? (
        <Loading what="who you are" />
      ) : (
        <OnDemand key={`${user} ${search}`} load={load} props={{ search }} what="the form" />
      )}
    </>
  );
}
