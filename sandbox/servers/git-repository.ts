import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../command.js';

const BRANCH = 'refs/heads/main';

/** Fixed, so that the same files always make the same commit. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'Fairlead sandbox',
  GIT_AUTHOR_EMAIL: 'sandbox@fairlead.invalid',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Fairlead sandbox',
  GIT_COMMITTER_EMAIL: 'sandbox@fairlead.invalid',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/** Environment in which git sees no configuration of the user's or the machine's. */
export function gitEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

/** Folder of the bare repository `name` below `root`. */
function repositoryFolder(root: string, name: string): string {
  return path.join(root, `${name}.git`);
}

type Git = (...args: string[]) => Promise<string>;

async function inRepository<T>(repository: string, workTree: string, work: (git: Git) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'fairlead-git-'));
  const index = { GIT_DIR: repository, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: path.join(scratch, 'index') };
  const env = { ...gitEnvironment(scratch), ...AUTHOR, ...index };
  try {
    return await work(async (...args) => (await runCommand('git', args, { cwd: workTree, env })).trim());
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function commitIndex(git: Git, message: string, parent: string | undefined): Promise<string> {
  const tree = await git('write-tree');
  const parents = parent === undefined ? [] : ['-p', parent];
  const commit = await git('commit-tree', tree, ...parents, '-m', message);
  await git('update-ref', BRANCH, commit, ...(parent === undefined ? [] : [parent]));
  return commit;
}

/**
 * Makes the bare repository `root/NAME.git` whose branch `main` has one commit: the files of `folder` (an empty tree
 * when the folder does not exist). Returns the commit's id, which depends on nothing but the files.
 */
export async function seedRepository(root: string, name: string, folder: string): Promise<string> {
  const repository = repositoryFolder(root, name);
  await mkdir(repository, { recursive: true });
  await runCommand('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository], {
    env: gitEnvironment(root),
  });
  const workTree = existsSync(folder) ? folder : repository;
  return inRepository(repository, workTree, async (git) => {
    await git('config', 'http.receivepack', 'true');
    if (workTree === folder) await git('add', '--all', '--force', '.');
    return commitIndex(git, 'First commit', undefined);
  });
}

async function stageFile(git: Git, scratch: string, file: string, content: string | Buffer | null): Promise<void> {
  if (content === null) {
    await git('update-index', '--force-remove', file);
    return;
  }
  const source = path.join(scratch, 'content');
  await writeFile(source, content);
  const blob = await git('hash-object', '-w', '--no-filters', source);
  await git('update-index', '--add', '--cacheinfo', `100644,${blob},${file}`);
}

/**
 * Adds one commit to `main`: each file gets its new content, or goes when that is null. Returns the commit's id.
 */
export async function commitFiles(
  root: string,
  name: string,
  change: { files: Readonly<Record<string, string | Buffer | null>>; message: string },
): Promise<string> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'fairlead-commit-'));
  try {
    return await inRepository(repositoryFolder(root, name), scratch, async (git) => {
      const parent = await git('rev-parse', BRANCH);
      await git('read-tree', parent);
      for (const [file, content] of Object.entries(change.files)) await stageFile(git, scratch, file, content);
      return commitIndex(git, change.message, parent);
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
