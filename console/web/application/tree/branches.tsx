import type { ComponentChildren } from 'preact';
import { isTroubled, type StateTally, type TreeNode } from '../model/tree-nodes.js';
import { Some } from '../../parts/lists.js';
import { State } from '../../parts/state.js';

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

export function Fold({ what, isOpen, fold }: FoldProps) {
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

export function Branches({ nodes, place }: { nodes: readonly TreeNode[]; place: Place }) {
  return <Some items={nodes}>{(node) => <Branch key={node.key} node={node} place={place} />}</Some>;
}
