import { meaningOf, type Meaning } from '#queries/views/state-meaning.js';
import type { ObjectView } from '#queries/views/tree-view.js';

export interface StateTally {
  readonly state: string;
  readonly objects: number;
}

/** An object in the page, and what it owns. */
export interface TreeNode {
  /** `Kind/namespace/name`, as a URL has it. */
  readonly key: string;
  readonly object: ObjectView;
  /** Of itself and of all below. */
  readonly worst: Meaning;
  /** Worst first. */
  readonly children: readonly TreeNode[];
  /** How many of those below are in which state, worst first. */
  readonly below: readonly StateTally[];
}

const WORST_FIRST: readonly Meaning[] = ['bad', 'moving', 'idle', 'good'];

function rankOf(meaning: Meaning): number {
  return WORST_FIRST.indexOf(meaning);
}

function objectKey({ kind, namespace, name }: Pick<ObjectView, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

function tallyOf(nodes: readonly TreeNode[]): StateTally[] {
  const counts = new Map<string, number>();
  const add = (state: string, objects: number): void => void counts.set(state, (counts.get(state) ?? 0) + objects);
  for (const { object, below } of nodes) {
    add(object.state, 1);
    for (const { state, objects } of below) add(state, objects);
  }
  return [...counts]
    .map(([state, objects]) => ({ state, objects }))
    .sort((a, b) => rankOf(meaningOf(a.state)) - rankOf(meaningOf(b.state)) || (a.state < b.state ? -1 : 1));
}

function worstOf(object: ObjectView, children: readonly TreeNode[]): Meaning {
  const all = [meaningOf(object.state), ...children.map(({ worst }) => worst)];
  return WORST_FIRST.find((meaning) => all.includes(meaning)) ?? 'good';
}

function nodeOf(object: ObjectView): TreeNode {
  const children = treeNodes(object.owns);
  return {
    ...{ key: objectKey(object), object, children },
    worst: worstOf(object, children),
    below: tallyOf(children),
  };
}

/** Those with what is worst first, else in the order of the release. */
export function treeNodes(objects: readonly ObjectView[]): TreeNode[] {
  return objects.map(nodeOf).sort((a, b) => rankOf(a.worst) - rankOf(b.worst));
}

/** True if a branch needs to be looked at. */
export function isTroubled({ worst }: Pick<TreeNode, 'worst'>): boolean {
  return worst === 'bad' || worst === 'moving';
}

/** The object with this key, anywhere below. */
export function nodeWith(key: string, nodes: readonly TreeNode[]): TreeNode | undefined {
  for (const node of nodes) {
    const found = node.key === key ? node : nodeWith(key, node.children);
    if (found !== undefined) return found;
  }
  return undefined;
}
