import path from 'node:path';
import { digestOf } from '#lib/hash.js';
import { isMetadataHost } from '#lib/net/link-local.js';
import type { Deps } from '../deps.js';
import { parseModules, submodulesOf, type TreeEntry, type Submodule } from './model/tree.js';
import { isSameServer } from '../model/urls.js';
import { anonymousAccess, type GitAccess } from './credentials.js';
import { createGit, mirrorKey } from './git.js';
import type { Mirror, MirrorUse } from './mirrors.js';
import { realFolder } from './real-folder.js';
import { lookUp, obtain } from './remote.js';
import { Server, type ServerOptions } from './server.js';
import { checkOut, type Place } from './tree.js';
import { gitFailed } from './git-error.js';

/** As in go-git. */
const MAX_DEPTH = 10;
const MAX_SUBMODULES = 100;
const MODULES = '.gitmodules';

/** How a repository was reached, and where it is checked out. */
export interface Parent {
  readonly options: ServerOptions;
  readonly place: Place;
  readonly entries: readonly TreeEntry[];
}

/** For whom submodules are fetched, and how. */
export interface Visit {
  readonly deps: Deps;
  readonly use: MirrorUse;
  /** The namespace of the source. */
  readonly tenant: string;
}

/** What all submodules of one repository share. */
interface Walk extends Visit {
  /** Of every repository so far. */
  readonly entries: TreeEntry[];
  /** Submodules that were found, and those of them that were begun with. */
  found: number;
  begun: number;
}

async function modulesIn(deps: Deps, { options, place, entries }: Parent): Promise<Submodule[]> {
  const hasModules = entries.some((entry) => entry.path === MODULES && entry.mode.startsWith('100'));
  const git = createGit(deps, options).in(place.repository);
  const blob = `--blob=${place.commit}:${MODULES}`;
  const listed = hasModules ? await git.output('config', '--no-includes', '--null', '--list', blob) : '';
  const found = submodulesOf(entries, parseModules(listed), options.url);
  if ('problem' in found) throw gitFailed(found.problem);
  return found;
}

/** The login of a repository opens its submodules on the same server, and nothing else. */
function accessTo({ options }: Parent, { path: name, url }: Submodule): GitAccess {
  if (isSameServer(options.url, url)) {
    return { ...options.access, identity: digestOf([options.access.identity, url]) };
  }
  if (isMetadataHost(new URL(url).hostname)) {
    throw gitFailed(`the submodule ${JSON.stringify(name)}: its URL leads to a link-local address`);
  }
  if (!url.startsWith('ssh:')) return anonymousAccess(url);
  throw gitFailed(`the submodule ${JSON.stringify(name)}: its ssh URL is on another server, for which there is no key`);
}

async function addSubmodule(walk: Walk, parent: Parent, submodule: Submodule, depth: number): Promise<void> {
  const { path: name, url, commit } = submodule;
  walk.begun += 1;
  const workTree = await realFolder(parent.place.workTree, name.split('/'), { make: true });
  if (workTree === undefined) throw gitFailed(`the submodule ${JSON.stringify(name)}: its path is not a folder`);
  const options = { ...parent.options, url, access: accessTo(parent, submodule) };
  const [git, server] = [createGit(walk.deps, options), new Server(walk.deps, options)];
  const target = { kind: 'commit', commit, branch: undefined } as const;
  const index = path.join(options.home, `index-${walk.begun}`);
  await walk.use(mirrorKey(options), {
    talk: async (mirror) => {
      const { tenant, deps } = walk;
      const remote = { git, server, mirror, notBefore: options.startedAt, offload: deps.offload, tenant };
      return obtain(remote, target, await lookUp(remote, target));
    },
    read: async (mirror: Mirror) => {
      const place = { repository: mirror.folder, commit, workTree, index };
      const entries = await checkOut(git, place, walk.entries);
      walk.entries.push(...entries);
      await addAll(walk, { options, place, entries }, depth + 1);
    },
  });
}

async function addAll(walk: Walk, parent: Parent, depth: number): Promise<void> {
  const submodules = await modulesIn(walk.deps, parent);
  if (submodules.length > 0 && depth > MAX_DEPTH) throw gitFailed(`submodules are nested more than ${MAX_DEPTH} deep`);
  walk.found += submodules.length;
  // Before the first of them is fetched.
  if (walk.found > MAX_SUBMODULES) throw gitFailed(`there are more than ${MAX_SUBMODULES} submodules`);
  for (const submodule of submodules) await addSubmodule(walk, parent, submodule, depth);
}

/**
 * Checks out the submodules of what is checked out already, and theirs. No `git submodule` is run, so nothing in a
 * repository is a command or a folder of git. Throws TransientError `GitOperationFailed` | `RepositoryTooLarge`.
 */
export async function addSubmodules(visit: Visit, parent: Parent): Promise<void> {
  await addAll({ ...visit, entries: [...parent.entries], found: 0, begun: 0 }, parent, 1);
}
