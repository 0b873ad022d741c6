import { gitUrl, gitUrlProblem } from '../../model/urls.js';
import { isContained } from '../../model/paths.js';

/** A file, link or submodule of a commit. */
export interface TreeEntry {
  /** Octal, as git prints it. */
  readonly mode: string;
  readonly id: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
  readonly path: string;
}

const ENTRY = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s;
/** Ten times what an artifact is unpacked with: most of a large repository may be ignored. */
const MAX_FILES = 100_000;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

/** Output of `git ls-tree -r -z --long`. */
export function parseTree(output: string): TreeEntry[] {
  return output.split('\0').flatMap((line) => {
    const [, mode, id, size, path] = ENTRY.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) return [];
    return [{ mode, id, path, size: size === '-' ? 0 : Number(size) }];
  });
}

/** Why a tree is not checked out: a few objects that name each other can be any number of files. */
export function treeProblem(entries: readonly TreeEntry[]): string | undefined {
  if (entries.length > MAX_FILES) return `has more than ${MAX_FILES} files`;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_BYTES ? `has files of more than ${MAX_BYTES / 1024 / 1024 / 1024} GiB` : undefined;
}

/** A repository within another. */
export interface Submodule {
  readonly path: string;
  readonly url: string;
  readonly commit: string;
}

interface Problem {
  readonly problem: string;
}

const SUBMODULE = '160000';
/** `user@host:path`, which git reads as ssh. */
const SCP_FORM = /^([\w.-]+@[\w.-]+):(?!\/\/)(.+)$/;
const NOT_IN_URL = /[\\\s\p{Cc}]/u;
const KEY = /^submodule\.(.+)\.(path|url)$/s;

/** Output of `git config --null --list` of a `.gitmodules`: url by path. The last of several counts, as in git. */
export function parseModules(output: string): ReadonlyMap<string, string> {
  const modules = new Map<string, Map<string, string>>();
  for (const line of output.split('\0')) {
    const newline = line.indexOf('\n');
    const [, name, field] = KEY.exec(newline < 0 ? line : line.slice(0, newline)) ?? [];
    if (name === undefined || field === undefined || newline < 0) continue;
    const fields = modules.get(name) ?? new Map<string, string>();
    modules.set(name, fields.set(field, line.slice(newline + 1)));
  }
  const pairs = [...modules.values()].map((fields) => [fields.get('path'), fields.get('url')] as const);
  return new Map(pairs.flatMap(([path, url]) => (path === undefined || url === undefined ? [] : [[path, url]])));
}

/** `reference`, which begins with `./` or `../`, from the repository at `base`; undefined when it leads out of the host. */
function relativeUrl(base: string, reference: string): string | undefined {
  const url = new URL(base);
  const parts = url.pathname.split('/').filter((part) => part !== '');
  for (const part of reference.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  if (parts.length === 0) return undefined;
  [url.pathname, url.search, url.hash] = [`/${parts.join('/')}`, '', ''];
  return url.href;
}

function absoluteUrl(base: string, text: string): string | undefined {
  if (/^\.\.?\//.test(text)) return relativeUrl(base, text);
  return SCP_FORM.test(text) && !text.includes('://') ? text.replace(SCP_FORM, 'ssh://$1/$2') : text;
}

function submoduleUrl(base: string, text: string): string | Problem {
  const url = absoluteUrl(base, text);
  if (url === undefined) return { problem: `its relative URL ${JSON.stringify(text)} leads out of the host` };
  // The text itself, too: a URL parser drops some characters.
  if (!NOT_IN_URL.test(text) && gitUrlProblem(url) === undefined) return gitUrl(url);
  return { problem: 'its URL in .gitmodules is not an http, https or ssh URL without credentials' };
}

/**
 * The submodules of a commit: what is a submodule in its tree, with the URL that `.gitmodules` gives to its path,
 * relative ones from the repository at `base`; or why one of them cannot be used.
 */
export function submodulesOf(
  entries: readonly TreeEntry[],
  modules: ReadonlyMap<string, string>,
  base: string,
): Submodule[] | Problem {
  const found: Submodule[] = [];
  for (const { path, id } of entries.filter(({ mode }) => mode === SUBMODULE)) {
    const refused = (problem: string): Problem => ({ problem: `the submodule ${JSON.stringify(path)}: ${problem}` });
    const text = modules.get(path);
    if (text === undefined) return refused('.gitmodules has no URL for it');
    if (!isContained(path)) return refused('its path is not allowed');
    const url = submoduleUrl(base, text);
    if (typeof url !== 'string') return refused(url.problem);
    found.push({ path, url, commit: id });
  }
  return found;
}
