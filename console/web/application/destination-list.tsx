import type { DestinationView } from '#queries/answers/application.js';
import { worstFirst, clusterName } from '../parts/model/destinations.js';
import { State } from '../parts/state.js';

/** Which releases a change is about, and where they are, the worst first; a dialog scrolls through many. */
export function DestinationList({ destinations, what }: { destinations: readonly DestinationView[]; what: string }) {
  if (destinations.length === 0) return null;
  return (
    <div class="long-list" role="region" aria-label={what} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col">Release</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {worstFirst(destinations).map(({ name, cluster, namespace, release, state }, index) => (
            <tr key={`${index} ${name}`}>
              <td>{clusterName(cluster)}</td>
              <td>
                {namespace === '' ? '' : `${namespace}/`}
                {release === '' ? name : release}
              </td>
              <td>
                <State state={state} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
