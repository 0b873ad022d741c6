import { useState } from 'preact/hooks';
import { meaningOf } from '#queries/views/state-meaning.js';
import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { type AskProps, Link, useQuery, useTitle } from '../navigation/navigation.js';
import type { ClusterItem } from '#queries/answers/clusters.js';
import { Facts, Pager } from '../parts/lists.js';
import {
  hasLabel,
  matrixOf,
  withLabelToggled,
  type ClusterQuery,
  clusterMark,
  tellingLabels,
  ALL_CLUSTERS,
  CLUSTER_SORTS,
  clusterQueryOf,
  clusterSearchOf,
  clustersPath,
  selectorProblem,
} from './model/clusters.js';
import { Mark, State } from '../parts/state.js';
import type { Page } from '../../shared/page-query.js';
import { Choice, SearchField } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import { CLUSTERS_COMMANDS } from '../parts/model/commands.js';
import { Notice } from '../parts/notice.js';
import { Shown, usePolled } from '../data/polled.js';
import './clusters.css';

interface ClusterCardProps extends AskProps<ClusterQuery> {
  readonly cluster: ClusterItem;
}

/** Labels that are shown without being asked for. */
const FEW = 8;

/** Names the object that describes the cluster, as messages do. */
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
function ClusterCard(props: ClusterCardProps) {
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

interface ClustersAnswer extends Page<ClusterItem> {
  /** What the user may not list. */
  readonly unread: readonly string[];
  /** Namespaces that were not asked. */
  readonly leftOut: readonly string[];
  readonly moreLeftOut: number;
}

const ALL = ['', 'All'] as const;
const STATES = [ALL, 'NotReady', ['Unknown', 'Unknown, or only registered'], 'Paused', 'Ready'] as const;

function Filters({ query, ask }: AskProps<ClusterQuery>) {
  // Another question has another first page.
  const change = (changed: Partial<ClusterQuery>): void => ask({ ...query, page: 1, ...changed });
  const problem = selectorProblem(query.labels);
  return (
    <>
      <div class="fields">
        <SearchField value={query.search} find={(search) => change({ search })} />
        <SearchField
          label="Labels"
          value={query.labels}
          placeholder="env=prod,tier!=edge"
          isInvalid={problem !== ''}
          find={(labels) => change({ labels })}
        />
        <Choice label="State" value={query.state} choices={STATES} choose={(state) => change({ state })} />
        <Choice
          label="Worst that runs there"
          value={query.worst}
          choices={[ALL, ...WORST_FIRST]}
          choose={(worst) => change({ worst })}
        />
        <Choice label="Sort" value={query.sort} choices={CLUSTER_SORTS} choose={(sort) => change({ sort })} />
      </div>
      {problem === '' ? null : (
        <p class="banner" role="status">
          <strong>Not selected by labels:</strong> {problem}
        </p>
      )}
    </>
  );
}

function Nothing({ query, ask }: AskProps<ClusterQuery>) {
  if (clusterSearchOf(query) !== '') {
    return (
      <Notice title="Nothing matches">
        <button type="button" onClick={() => ask(ALL_CLUSTERS)}>
          Show all clusters
        </button>
      </Notice>
    );
  }
  return (
    <Notice title="There are no clusters that you may see">
      <p>
        Clusters are Secrets with a kubeconfig and the label <code>gitops.kubesphere.io/cluster=true</code>, Clusters of
        KubeSphere and of Cluster API, and others that you may list.
      </p>
    </Notice>
  );
}

function Clusters({
  answer: { items, total, page, limit, unread, leftOut, moreLeftOut },
  query,
  ask,
}: AskProps<ClusterQuery> & { answer: ClustersAnswer }) {
  return (
    <>
      {unread.length === 0 ? null : (
        <p class="hint">
          You may not list all of these, so that some may be missing or have no object here: {unread.join(', ')}.
        </p>
      )}
      {leftOut.length === 0 ? null : (
        <p class="hint">
          There are too many namespaces to ask all of them at once. Clusters of these are missing: {leftOut.join(', ')}
          {moreLeftOut === 0 ? '' : ` and ${moreLeftOut} more`}.
        </p>
      )}
      <p class="hint" role="status">
        {total} {total === 1 ? 'cluster' : 'clusters'}
      </p>
      {items.length === 0 ? <Nothing {...{ query, ask }} /> : null}
      <ul class="cards">
        {items.map((cluster) => (
          <ClusterCard
            key={[cluster.apiGroup, cluster.kind, cluster.namespace, cluster.name].join('/')}
            {...{ cluster, query, ask }}
          />
        ))}
      </ul>
      <Pager {...{ page, limit, total }} ask={(next) => ask({ ...query, page: next })} />
    </>
  );
}

/** The clusters that the user may know, those in trouble first. */
export function ClustersPage() {
  const { query, ask } = useQuery(clusterQueryOf, clusterSearchOf);
  const polled = usePolled<ClustersAnswer>(clustersPath(query));
  useTitle('Clusters');
  return (
    <>
      <h1>Clusters</h1>
      <Filters {...{ query, ask }} />
      <Shown polled={polled} what="clusters">
        {(answer) => <Clusters {...{ answer, query, ask }} />}
      </Shown>
      <CommandList commands={CLUSTERS_COMMANDS} />
    </>
  );
}
