import { pathTo } from '../navigation/model/place.js';
import { templateApiPath } from './model/template-query.js';
import { Link, type PageProps, useTitle } from '../navigation/navigation.js';
import { OnDemandOfUser } from '../parts/on-demand.js';
import '../editor/editor.css';
import './templates.css';

const load = () => import('./use/use-template.js').then(({ UseTemplate }) => UseTemplate);

/** A form of the values that a template takes, which ends with an Application. */
export function UseTemplatePage({ params }: PageProps) {
  const { namespace = '', kind = '', name = '' } = params;
  const path = templateApiPath({ namespace, kind, name });
  useTitle(`Use ${name}`);
  return (
    <>
      <h1>
        <span class="of">
          Use {kind} {namespace}/
        </span>
        {name}
      </h1>
      <p>
        <Link to={pathTo('template', { namespace, kind, name })}>About the template</Link>
      </p>
      <OnDemandOfUser load={load} props={{ path }} what="the form" />
    </>
  );
}
