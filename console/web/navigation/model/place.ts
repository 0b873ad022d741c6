import { PAGES, type PageName } from '../../../shared/pages.js';

/** What the path of a URL names. */
export interface Place {
  readonly page: PageName | 'nowhere';
  /** By the names that they have in the path of the page. */
  readonly params: Readonly<Record<string, string>>;
}

const NOWHERE: Place = { page: 'nowhere', params: {} };

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The parameters of a path, if it is one of this page. */
function matched(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = decoded(given[index] ?? '');
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
    } else if (text === undefined || text === '') return undefined;
    else params[part.slice(1)] = text;
  }
  return params;
}

export function placeOf(path: string): Place {
  for (const [page, pattern] of Object.entries(PAGES)) {
    const params = matched(pattern, path);
    // The keys of the table are these names.
    if (params !== undefined) return { page: page as PageName, params };
  }
  return NOWHERE;
}

/** The path of a page. */
export function pathTo(page: PageName, params: Readonly<Record<string, string>> = {}): string {
  return PAGES[page].replaceAll(/:([a-z]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

export function applicationPath({ namespace, name }: { namespace: string; name: string }): string {
  return pathTo('application', { namespace, name });
}
