import { meaningOf, type Meaning, causeFirst } from '#queries/views/state-meaning.js';
import type { DestinationView } from '#queries/answers/application.js';
import type { DestinationTree, ObjectView } from '#queries/answers/members.js';
import { queryText, textsIn } from '../../navigation/model/query.js';
import { pathTo } from '../../navigation/model/place.js';

/** The selection in the tree of an Application; the URL keeps it, so that it can be shared. */
export interface TreeQuery {
  /** Only this one; empty: all. */
  readonly cluster: string;
  /** The object that is looked at, and its cluster; both empty: none. */
  readonly object: string;
  readonly on: string;
}

/** More is no name. */
const MOST_CHARACTERS = 1_024;

/** Reads the query of a URL, without `?`. */
export function treeQueryOf(search: string): TreeQuery {
  return textsIn(search, ['cluster', 'object', 'on'], MOST_CHARACTERS);
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function treeSearchOf({ cluster, object, on }: TreeQuery): string {
  return queryText({ cluster, object, on: object === '' ? '' : on });
}

/** The page of the tree of an Application, on one cluster. */
export function treePage({ namespace, name }: { namespace: string; name: string }, cluster: string): string {
  const search = treeSearchOf({ cluster, object: '', on: '' });
  return `${pathTo('applicationView', { namespace, name, view: 'tree' })}${search}`;
}

export interface StateTally {
  readonly state: string;
  readonly objects: number;
}

/** An object in the page, and what it owns. */
export interface TreeNode {
  /** `Kind/namespace/name`, as a URL has it. */
  readonly key: string;
  readonly object: ObjectView;
  /** The worst meaning of the branch and of everything below. */
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

/** A remark on a branch besides its objects. */
export interface BranchNote {
  readonly kind: 'waiting' | 'problem' | 'fact';
  readonly text: string;
}

export interface BranchRead {
  /** Undefined: not read yet, or not there. */
  readonly tree: DestinationTree | undefined;
  readonly isReading: boolean;
  /** True once the server said something. */
  readonly isRead: boolean;
  /** Why the server said nothing; empty if it did. */
  readonly problem: string;
}

function fact(text: string): BranchNote[] {
  return [{ kind: 'fact', text }];
}

function problem(text: string): BranchNote[] {
  return text === '' ? [] : [{ kind: 'problem', text }];
}

function notesOfTree({ problem: notRead, objects, more }: DestinationTree): BranchNote[] {
  const isEmpty = objects.length === 0 && notRead === '';
  return [
    ...problem(notRead),
    ...(isEmpty ? fact('The release has no objects.') : []),
    ...(more > 0 ? fact(`and ${more} more objects, which are not read`) : []),
  ];
}

/** Why a destination is as it is; empty if the Application has only this one, and has said it. */
export function unsaidMessage(
  { message }: Pick<DestinationView, 'message'>,
  { said, destinations }: { readonly said: string; readonly destinations: number },
): string {
  return destinations === 1 && said.includes(message) ? '' : causeFirst(message);
}

/** Never empty where there is no object to show. */
export function destinationNotes({ cluster, child }: DestinationView, read: BranchRead): BranchNote[] {
  if (cluster === '') return fact('The status does not name its cluster yet.');
  if (child === '') return fact('Nothing is deployed yet.');
  if (read.tree !== undefined) return [...problem(read.problem), ...notesOfTree(read.tree)];
  if (read.isReading) return [{ kind: 'waiting', text: `Reading ${cluster} …` }];
  return read.problem === '' && read.isRead ? fact('It is not there any more.') : problem(read.problem);
}
