import { useState } from 'preact/hooks';
import { meaningOf } from '#queries/views/state-meaning.js';
import { type AskProps, Link } from '../navigation/navigation.js';
import type { ClusterItem } from '../../shared/cluster-item.js';
import { Facts } from '../parts/lists.js';
import {
  hasLabel,
  matrixOf,
  withLabelToggled,
  type ClusterQuery,
  clusterMark,
  tellingLabels,
} from './model/clusters.js';
import { Mark, State } from '../parts/state.js';

interface ClusterCardProps extends AskProps<ClusterQuery> {
  readonly cluster: ClusterItem;
}

/** Labels that are shown without being asked for. */
const FEW = 8;

/** What describes the cluster, as messages name objects. */
function objectOf({ apiGroup, kind, namespace, name }: ClusterItem): string {
  if (kind === '') return '';
  const group = apiGroup === '' ? '' : `.${apiGroup}`;
  return `${kind}${group} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** Each label selects the clusters that have it, too. */
function Labels({ cluster: { name, labels }, query, ask }: ClusterCardProps) {
  const [isWhole, setWhole] = useState(false);
  const all = tellingLabels(labels);
  if (all.length === 0) return null;
  const shown = isWhole ? all : all.slice(0, FEW);
  return (
    <div class="chips labels" role="group" aria-label={`Labels of ${name}`}>
      {shown.map(([key, value]) => (
        <button
          key={key}
          type="button"
          class="chip small"
          aria-pressed={hasLabel(query.labels, key, value)}
          title={`Only clusters with ${key}=${value}`}
          onClick={() => ask({ ...query, page: 1, labels: withLabelToggled(query.labels, key, value) })}
        >
          {key}={value}
        </button>
      ))}
      {all.length <= FEW ? null : (
        <button type="button" class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer labels' : `${all.length - FEW} more labels`}
        </button>
      )}
    </div>
  );
}

/** How many Applications are in which state there; each count leads to those. */
function Applications({ cluster }: { cluster: ClusterItem }) {
  const { names, applications } = cluster;
  if (applications === 0) return <p class="hint">No Application that you may see is deployed there.</p>;
  return (
    <>
      {names.map(({ name, states }) => (
        <p key={name} class="uses">
          <span class="of">{name === cluster.name ? 'Applications:' : `Applications that call it ${name}:`}</span>
          {states.map(({ state, applications: count }) => (
            <Link key={state} to={matrixOf(cluster, name, state)}>
              {count.toLocaleString()} <State state={state} />
            </Link>
          ))}
        </p>
      ))}
    </>
  );
}

/** One cluster: how it is, what describes it, and how what runs there is. */
export function ClusterCard(props: ClusterCardProps) {
  const { cluster } = props;
  const { namespace, name, message, version, why, worst } = cluster;
  const mark = clusterMark(cluster);
  return (
    <li>
      <h2 class="card-title">
        {namespace === '' ? null : <span class="of">{namespace}/</span>}
        {name} {mark === undefined ? null : <Mark {...mark} />}
      </h2>
      {message === '' ? null : <p class="message">{message}</p>}
      {why === '' || meaningOf(worst) === 'good' ? null : (
        <p class="message">
          <State state={worst} />: {why}
        </p>
      )}
      <Facts
        facts={{
          Version: version,
          'Described by': objectOf(cluster),
        }}
      />
      <Applications cluster={cluster} />
      <Labels {...props} />
    </li>
  );
}
