import { Banners } from '../../parts/notice.js';
import type { ComponentChildren } from 'preact';
import type { DestinationView } from '#queries/answers/application.js';
import type { DestinationTree, TreeView } from '#queries/answers/members.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import {
  isTroubled,
  type StateTally,
  type TreeNode,
  treeNodes,
  destinationNotes,
  type BranchNote,
} from '../model/tree.js';
import { Some } from '../../parts/lists.js';
import { State } from '../../parts/state.js';
import type { Read } from '../../data/reads.js';
import { clusterName } from '../../parts/model/destinations.js';

/** What can be done with the branches of a tree. */
export interface TreeControl {
  /** Key of the object that is looked at, on one cluster. */
  readonly isChosen: (cluster: string, key: string) => boolean;
  readonly choose: (cluster: string, key: string) => void;
  readonly isOpen: (id: string, byDefault: boolean) => boolean;
  readonly fold: (id: string, isOpen: boolean) => void;
  /** Below the object that is looked at; undefined where there is room beside the tree. */
  readonly panel: ComponentChildren;
}

/** Where an object is. */
export interface Place {
  readonly control: TreeControl;
  readonly cluster: string;
  /** Of the destination: objects there do not repeat it. */
  readonly namespace: string;
  /** Of the branch above; ids begin with it. */
  readonly above: string;
}

interface FoldProps {
  /** Of what is folded, for those who do not see it. */
  readonly what: string;
  readonly isOpen: boolean;
  readonly fold: (isOpen: boolean) => void;
}

function Fold({ what, isOpen, fold }: FoldProps) {
  return (
    <button type="button" class="fold" aria-expanded={isOpen} aria-label={what} onClick={() => fold(!isOpen)}>
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
    </button>
  );
}

function Tally({ tally }: { tally: readonly StateTally[] }) {
  return (
    <span class="tally">
      {tally.map(({ state, objects }) => (
        <span key={state}>
          {objects.toLocaleString()} <State state={state} />{' '}
        </span>
      ))}
    </span>
  );
}

function Head({ node, place, isChosen }: { node: TreeNode; place: Place; isChosen: boolean }) {
  const { kind, namespace, name, state } = node.object;
  return (
    <button
      type="button"
      class="pick"
      data-object={`${place.cluster}/${node.key}`}
      aria-pressed={isChosen}
      onClick={() => place.control.choose(place.cluster, node.key)}
    >
      <State state={state} quiet={state === 'Ready'} /> <span class="of">{kind}</span>{' '}
      {namespace === '' || namespace === place.namespace ? null : <span class="of">{namespace}/</span>}
      {name}
    </button>
  );
}

/** An object with what it owns: folded if all is well there. */
function Branch({ node, place }: { node: TreeNode; place: Place }) {
  const { control, cluster, above } = place;
  const { object, children, below } = node;
  const id = `${above} ${node.key}`;
  const isChosen = control.isChosen(cluster, node.key);
  const isOpen = children.length > 0 && control.isOpen(id, isTroubled(node));
  return (
    <li>
      <div class="node">
        {children.length === 0 ? (
          <span class="fold" />
        ) : (
          <Fold
            what={`What ${object.kind} ${object.name} has`}
            isOpen={isOpen}
            fold={(next) => control.fold(id, next)}
          />
        )}
        <Head {...{ node, place, isChosen }} />
        {children.length > 0 && !isOpen ? <Tally tally={below} /> : null}
      </div>
      {object.message === '' ? null : (
        <p class="why" title={object.message}>
          {object.message}
        </p>
      )}
      {isChosen ? control.panel : null}
      {isOpen ? <Branches nodes={children} place={{ ...place, above: id }} /> : null}
    </li>
  );
}

function Branches({ nodes, place }: { nodes: readonly TreeNode[]; place: Place }) {
  return <Some items={nodes}>{(node) => <Branch key={node.key} node={node} place={place} />}</Some>;
}

export interface DestinationBranchProps {
  readonly destination: DestinationView;
  readonly read: Read<TreeView>;
  readonly again: () => void;
  readonly control: TreeControl;
  readonly isOpen: boolean;
}

/** The key of a destination's fold. */
export function destinationId({ name, cluster }: Pick<DestinationView, 'name' | 'cluster'>): string {
  return JSON.stringify([cluster, name]);
}

/** Finds a destination in the tree that was read. */
export function treeOf(destination: DestinationView, { value }: Read<TreeView>): DestinationTree | undefined {
  return value?.destinations.find(({ name, child }) => name === destination.name && child === destination.child);
}

const known = new WeakMap<DestinationTree, readonly TreeNode[]>();

/** Made once of each answer: there may be thousands. */
export function nodesOf(tree: DestinationTree | undefined): readonly TreeNode[] {
  if (tree === undefined) return [];
  const nodes = known.get(tree) ?? treeNodes(tree.objects);
  known.set(tree, nodes);
  return nodes;
}

function Note({ kind, text }: BranchNote) {
  if (kind === 'waiting') {
    return (
      <p class="hint" role="status">
        {text}
      </p>
    );
  }
  return kind === 'fact' ? <p class="why">{text}</p> : <Banners title="Not read" texts={[text]} />;
}

function Inside({ destination, read, control }: DestinationBranchProps) {
  const { cluster, namespace } = destination;
  const tree = treeOf(destination, read);
  const nodes = nodesOf(tree);
  const { isReading, value, problem } = read;
  const notes = destinationNotes(destination, {
    ...{ tree, isReading, isRead: value !== undefined, problem: problem?.text ?? '' },
  });
  return (
    <div class="inside">
      {notes.map((note) => (
        <Note key={note.text} {...note} />
      ))}
      {nodes.length === 0 ? null : (
        <Branches nodes={nodes} place={{ control, cluster, namespace, above: destinationId(destination) }} />
      )}
    </div>
  );
}

function AgainButton({ cluster, read, again }: Pick<DestinationBranchProps, 'read' | 'again'> & { cluster: string }) {
  return (
    <button
      type="button"
      class="small"
      disabled={read.isReading}
      aria-label={`${read.isReading ? 'Reading …' : 'Read again'}: ${cluster}`}
      title={read.at === 0 ? '' : `Read at ${new Date(read.at).toLocaleTimeString()}`}
      onClick={again}
    >
      {read.isReading ? 'Reading …' : 'Read again'}
    </button>
  );
}

/** Shows the message of the status, unless the tree below says it already. */
function Messages({ destination: { state, message }, read, destination }: DestinationBranchProps) {
  const isTroubledInside = state === 'Ready' && nodesOf(treeOf(destination, read)).some(isTroubled);
  if (isTroubledInside) return <p class="why">The release is ready, but not all that it made.</p>;
  return state === 'Ready' || message === '' ? null : (
    <p class="why" title={message}>
      {causeFirst(message)}
    </p>
  );
}

/** A destination with what runs there. */
export function DestinationBranch(props: DestinationBranchProps) {
  const { destination, control, isOpen } = props;
  const { cluster, namespace, release, child, state } = destination;
  const canBeRead = cluster !== '' && child !== '';
  return (
    <li class="destination">
      <div class="node">
        <Fold
          what={`What runs on ${clusterName(cluster)}`}
          isOpen={isOpen}
          fold={(next) => control.fold(destinationId(destination), next)}
        />
        <h2>
          <State state={state} /> <span class="where">{clusterName(cluster)}</span>
        </h2>
        <span class="of" title={child}>
          {release === '' ? namespace : `${namespace}/${release}`}
        </span>
        {isOpen && canBeRead ? <AgainButton cluster={cluster} {...props} /> : null}
      </div>
      <Messages {...props} />
      {isOpen ? <Inside {...props} /> : null}
    </li>
  );
}
