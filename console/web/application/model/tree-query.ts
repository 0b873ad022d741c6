import { pathTo } from '../../navigation/model/place.js';

/** What the tree of an Application shows; it is kept in the URL, so that it can be shared. */
export interface TreeQuery {
  /** Only this one; empty: all. */
  readonly cluster: string;
  /** The object that is looked at, and its cluster; both empty: none. */
  readonly object: string;
  readonly on: string;
}

/** More is no name. */
const MOST_CHARACTERS = 1_024;

/** Of the part of a URL behind `?`. What it does not know, it ignores. */
export function treeQueryOf(search: string): TreeQuery {
  const params = new URLSearchParams(search);
  const textOf = (key: string): string => (params.get(key) ?? '').slice(0, MOST_CHARACTERS);
  return { cluster: textOf('cluster'), object: textOf('object'), on: textOf('on') };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function treeSearchOf({ cluster, object, on }: TreeQuery): string {
  const params = new URLSearchParams();
  const selected = object === '' ? {} : { object, on };
  for (const [key, value] of Object.entries({ cluster, ...selected })) {
    if (value !== '') params.set(key, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The page of the tree of an Application, on one cluster. */
export function treePage({ namespace, name }: { namespace: string; name: string }, cluster: string): string {
  const search = treeSearchOf({ cluster, object: '', on: '' });
  return `${pathTo('applicationView', { namespace, name, view: 'tree' })}${search}`;
}
