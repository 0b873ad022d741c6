import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { type AskProps, useQuery, useTitle } from '../navigation/navigation.js';
import type { ClusterItem } from '../../shared/cluster-item.js';
import type { Page } from '../../shared/page-query.js';
import { Choice, SearchField } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import {
  ALL_CLUSTERS,
  CLUSTER_SORTS,
  clusterQueryOf,
  clusterSearchOf,
  clustersPath,
  selectorProblem,
  type ClusterQuery,
} from './model/clusters.js';
import { CLUSTERS_COMMANDS } from '../parts/model/commands.js';
import { Notice } from '../parts/notice.js';
import { Pager } from '../parts/lists.js';
import { Shown, usePolled } from '../data/polled.js';
import { ClusterCard } from './cluster-card.js';
import './clusters.css';

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
