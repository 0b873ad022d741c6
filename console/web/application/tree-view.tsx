import { useQuery } from '../navigation/navigation.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DestinationView } from '#queries/answers/application.js';
import type { TreeView as Tree } from '#queries/answers/members.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { reachableFirst } from '../parts/model/destinations.js';
import { ClusterChoice } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import { objectCommands, treeCommands, treePath } from './model/member-paths.js';
import { isTroubled, nodeWith, type TreeNode, treeQueryOf, treeSearchOf, type TreeQuery } from './model/tree.js';
import { Notice } from '../parts/notice.js';
import { Some } from '../parts/lists.js';
import { useReads, type Read, type Reads } from '../data/reads.js';
import { useNarrow } from '../overview/use-viewport.js';
import { type TreeControl, DestinationBranch, destinationId, nodesOf, treeOf } from './tree/branches.js';
import { ObjectPanel } from './tree/object-panel.js';
import { WithSource } from './source-line.js';
import type { ViewProps } from './view.js';
import './tree/tree.css';

/** Destinations that are read without being asked for: reading is costly for their clusters. */
const FIRST = 8;

interface Shown {
  readonly destination: DestinationView;
  readonly read: Read<Tree>;
  readonly isOpen: boolean;
  readonly isWanted: boolean;
}

interface Look {
  readonly query: TreeQuery;
  readonly folds: Folds;
  readonly readOf: (cluster: string) => Read<Tree>;
}

function isAskedFor({ cluster }: DestinationView, { cluster: only, object, on }: TreeQuery): boolean {
  return cluster !== '' && (cluster === only || (object !== '' && cluster === on));
}

function needsLook(destination: DestinationView, read: Read<Tree>): boolean {
  const tree = treeOf(destination, read);
  const isBroken = tree !== undefined && tree.problem !== '';
  return isTroubled({ worst: meaningOf(destination.state) }) || isBroken || nodesOf(tree).some(isTroubled);
}

/** What is in trouble is open, and so is what is asked for; what somebody opened or folded stays so. */
function shownOf(destinations: readonly DestinationView[], { query, folds, readOf }: Look): Shown[] {
  return destinations.map((destination, index) => {
    const { cluster } = destination;
    const read = readOf(cluster);
    const isFirst = index < FIRST;
    const byDefault = isAskedFor(destination, query) || (isFirst && needsLook(destination, read));
    const isOpen = folds.get(destinationId(destination)) ?? byDefault;
    return { destination, read, isOpen, isWanted: cluster !== '' && (isOpen || isFirst) };
  });
}

type Folds = ReadonlyMap<string, boolean>;

/** Reads again what changed since it was read. */
function useFresh(destinations: readonly DestinationView[], path: string, reads: Reads<Tree>): void {
  const before = useRef(new Map<string, string>());
  useEffect(() => {
    for (const { name, cluster, state, revision, message } of destinations) {
      const key = JSON.stringify([cluster, name]);
      const now = JSON.stringify([state, revision, message]);
      const known = before.current.get(key);
      before.current.set(key, now);
      if (known !== undefined && known !== now && reads.of(treePath(path, cluster)).at > 0) {
        reads.again(treePath(path, cluster));
      }
    }
  }, [destinations]);
}

/** What is folded, and what is looked at. */
function useTreeControl() {
  const { query, ask } = useQuery(treeQueryOf, treeSearchOf);
  const [folds, setFolds] = useState<Folds>(new Map());
  const chosenBy = useRef<Element | null>(null);
  const choose = (on: string, object: string): void => {
    chosenBy.current = document.activeElement;
    ask({ ...query, on, object });
  };
  const close = (): void => {
    ask({ ...query, on: '', object: '' });
    if (chosenBy.current instanceof HTMLElement) chosenBy.current.focus();
  };
  const control: Omit<TreeControl, 'panel'> = {
    choose,
    isChosen: (cluster, key) => query.object === key && query.on === cluster,
    isOpen: (id, byDefault) => folds.get(id) ?? byDefault,
    fold: (id, isOpen) => setFolds(new Map(folds).set(id, isOpen)),
  };
  return { query, folds, ask, close, control, wasChosen: () => chosenBy.current !== null };
}

/** The object that is looked at, if it is there. */
function chosenNode({ on, object }: TreeQuery, { value }: Read<Tree>): TreeNode | undefined {
  if (on === '' || object === '') return undefined;
  return nodeWith(object, value?.destinations.flatMap(nodesOf) ?? []);
}

function NoDestinations({ cluster }: TreeQuery) {
  return (
    <Notice title="There are no destinations">
      <p>{cluster === '' ? 'The status names none.' : 'The status names none on this cluster.'}</p>
    </Notice>
  );
}

/** What the Application deployed, down to pods with their logs: what fails is open and first. */
export function TreeView({ detail, path }: ViewProps) {
  const { namespace, name, destinations } = detail;
  const isNarrow = useNarrow();
  const { query, folds, ask, close, control, wasChosen } = useTreeControl();
  const selected = destinations.filter(({ cluster }) => query.cluster === '' || cluster === query.cluster);
  const [wanted, want] = useState<readonly string[]>([]);
  const reads = useReads<Tree>(wanted.map((cluster) => treePath(path, cluster)));
  const readOf = (cluster: string): Read<Tree> => reads.of(treePath(path, cluster));
  const shown = shownOf(selected, { query, folds, readOf });
  const asked = shown.filter((each) => each.isWanted).map(({ destination }) => destination);
  const next = [...new Set(reachableFirst(asked).map(({ cluster }) => cluster))];
  useEffect(() => want(next), [next.join('\n')]);
  useFresh(destinations, path, reads);
  const node = chosenNode(query, readOf(query.on));
  const panel =
    node === undefined ? null : (
      <ObjectPanel
        key={`${query.on} ${query.object}`}
        {...{ path, node, close, cluster: query.on, isWanted: wasChosen() }}
      />
    );
  const ofObject = node === undefined ? [] : objectCommands({ namespace, name, cluster: query.on }, node.object);
  const commands = [...ofObject, ...treeCommands({ namespace, name, cluster: query.cluster })];
  return (
    <>
      <div class="fields">
        <ClusterChoice {...{ destinations, cluster: query.cluster }} choose={(cluster) => ask({ ...query, cluster })} />
      </div>
      {selected.length === 0 ? <NoDestinations {...query} /> : null}
      <div class="tree-page">
        <section class="tree" aria-label="What is deployed">
          <WithSource detail={detail}>{(line) => line}</WithSource>
          <Some items={shown}>
            {({ destination, read, isOpen }) => (
              <DestinationBranch
                key={destinationId(destination)}
                {...{ destination, read, isOpen, control: { ...control, panel: isNarrow ? panel : null } }}
                again={() => reads.again(treePath(path, destination.cluster))}
              />
            )}
          </Some>
        </section>
        {isNarrow ? null : panel}
      </div>
      <CommandList commands={commands} />
    </>
  );
}
