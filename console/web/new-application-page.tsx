import { useNavigation, useTitle } from './navigation/navigation.js';
import { OnDemandOfUser } from './parts/on-demand.js';
import './editor/editor.css';

const load = () => import('./editor/new-application.js').then(({ NewApplication }) => NewApplication);

/** Its query may say what to begin with: `namespace`, `name` and `template`. */
export function NewApplicationPage() {
  const { search } = useNavigation();
  useTitle('New Application');
  return (
    <>
      <h1>New Application</h1>
      <OnDemandOfUser key={search} load={load} props={{ search }} what="the form" />
    </>
  );
}
