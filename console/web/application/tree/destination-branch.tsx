import type { DestinationView } from '#queries/views/application-view.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import type { DestinationTree, TreeView } from '#queries/views/tree-view.js';
import { destinationNotes, type BranchNote } from '../model/destination-notes.js';
import { clusterName } from '../../overview/model/overview-query.js';
import { isTroubled, treeNodes, type TreeNode } from '../model/tree-nodes.js';
import { State } from '../../parts/state.js';
import type { Read } from '../../data/reads.js';
import { Branches, Fold, type TreeControl } from './branches.js';

export interface DestinationBranchProps {
  readonly destination: DestinationView;
  readonly read: Read<TreeView>;
  readonly again: () => void;
  readonly control: TreeControl;
  readonly isOpen: boolean;
}

/** What a fold of a destination is known by. */
export function destinationId({ name, cluster }: Pick<DestinationView, 'name' | 'cluster'>): string {
  return JSON.stringify([cluster, name]);
}

/** What was read for a destination. */
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
  return kind === 'fact' ? (
    <p class="why">{text}</p>
  ) : (
    <p class="banner message">
      <strong>Not read:</strong> {text}
    </p>
  );
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

/** What the status says, as far as it is news. */
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
