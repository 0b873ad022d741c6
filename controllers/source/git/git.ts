import path from 'node:path';
import type { RunResult } from '#engine/process/run.js';
import { digestOf } from '#lib/hash.js';
import { defined } from '#lib/plain.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { proxyFor, type ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from '../deps.js';
import { gitMessage, GitError } from './git-error.js';
import { timeoutField } from '../model/source.js';
import type { GitAccess } from './credentials.js';
import { withinBytes } from './mirrors.js';

/** One repository as seen by git processes that share access, folder and limit. */
export interface Git {
  /** Output of a command that must succeed. Throws GitError with what git said. */
  readonly output: (...args: string[]) => Promise<string>;
  /** Its output byte by byte, as latin1: what is signed need not be UTF-8. */
  readonly bytes: (...args: string[]) => Promise<string>;
  /** Result of a command that may fail. */
  readonly attempt: (...args: string[]) => Promise<RunResult>;
  /** The same git in a bare repository. */
  readonly in: (repository: string, files?: GitFiles) => Git;
}

/** Where a bare repository is checked out. */
export interface GitFiles {
  readonly workTree: string;
  readonly index: string;
}

export interface GitOptions {
  readonly access: GitAccess;
  /** Decides about the proxy and the protocols. */
  readonly url: string;
  readonly proxies: ProxySettings;
  /** Takes the place of the home folder; has nothing of a repository under a name that git knows. */
  readonly home: string;
  /** For all commands together. */
  readonly timeoutMs: number;
  /** Since when, of `performance.now()`. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

/** No hook, no template and no local file can make git run or read what is not ours. */
const SAFE_CONFIG: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'init.templateDir': '',
  'init.defaultBranch': 'unused',
  'advice.detachedHead': 'false',
  'credential.helper': '',
  'http.followRedirects': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  // Objects of their own are not counted as what a repository holds.
  'fetch.unpackLimit': '1',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
};

function configEnvironment(config: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries({ ...SAFE_CONFIG, ...config });
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...(Object.fromEntries(pairs) as Record<string, string>) };
}

/** What git keeps of a large repository while it unpacks it is far more than what a chart renders to. */
const MAX_MEMORY = 1024 * 1024 * 1024;
/** Names of references and files: a hundred thousand of them. */
const MAX_OUTPUT = 32 * 1024 * 1024;
/** Of one commit, compressed. */
const MAX_FETCH = 1024 * 1024 * 1024;

function environment({ access, url, home, proxies }: GitOptions): Record<string, string> {
  // Not as variables: git reads them by other rules than Go, whose SOCKS proxies look up all names.
  const proxy = proxyFor(url, proxies)?.replace(/^socks5:/, 'socks5h:');
  return {
    // No ssh without a login for it.
    GIT_SSH_COMMAND: 'false',
    ...access.env,
    ...configEnvironment({ ...access.config(url), ...defined({ 'http.proxy': proxy }) }),
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    // A repository that we happen to lie in is none of ours.
    GIT_CEILING_DIRECTORIES: path.dirname(home),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: url.startsWith('ssh:') ? 'ssh' : 'http:https',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  };
}

/** What ended git before its time; a limit says nothing of what is pushed next. */
function explained(cause: unknown, command: string, timeoutMs: number): unknown {
  if (cause instanceof TerminalError) {
    return new TransientError(`git ${command}: ${cause.message}`, { reason: 'RepositoryTooLarge', cause });
  }
  if (!(cause instanceof TransientError) || cause.reason !== 'ProcessTimeout') return cause;
  const message = `git ${command} did not finish within ${timeoutMs} ms (${timeoutField(timeoutMs)})`;
  return new TransientError(message, { reason: cause.reason, cause });
}

function variablesOf(repository: string, files: GitFiles | undefined): Record<string, string> {
  return defined({ GIT_DIR: repository, GIT_WORK_TREE: files?.workTree, GIT_INDEX_FILE: files?.index });
}

/** The key of the mirror: what is fetched is shared where server, login and the way to it are the same. */
export function mirrorKey({ access, proxies }: GitOptions): string {
  return digestOf([access.identity, proxies]);
}

/** The real git, cut off from every configuration but ours. */
export function createGit(deps: Pick<Deps, 'run' | 'gitPath'>, options: GitOptions): Git {
  return gitIn(deps, options, { env: environment(options), until: options.startedAt + options.timeoutMs });
}

function gitIn(
  deps: Pick<Deps, 'run' | 'gitPath'>,
  options: GitOptions,
  { env, until, repository }: { env: Record<string, string>; until: number; repository?: string },
): Git {
  const { access, timeoutMs, home, signal } = options;
  const runWith = async (args: readonly string[], encoding: 'utf8' | 'latin1'): Promise<RunResult> => {
    const leftMs = Math.max(1, Math.ceil(until - performance.now()));
    const limits = { timeoutMs: leftMs, maxOutputBytes: MAX_OUTPUT, maxMemoryBytes: MAX_MEMORY };
    const common = { cwd: env['GIT_WORK_TREE'] ?? home, env, encoding, ...limits };
    try {
      if (repository === undefined || args[0] !== 'fetch')
        return await deps.run(deps.gitPath, args, { ...common, signal });
      const limit = { repository, maxBytes: MAX_FETCH };
      return await withinBytes(limit, signal, (stop) => deps.run(deps.gitPath, args, { ...common, signal: stop }));
    } catch (cause: unknown) {
      throw explained(cause, args[0] ?? '', timeoutMs);
    }
  };
  const outputWith = async (args: readonly string[], encoding: 'utf8' | 'latin1'): Promise<string> => {
    const { code, stdout, stderr } = await runWith(args, encoding);
    if (code === 0) return stdout;
    // These folders have other names each time.
    const folders = [home, repository ?? home];
    const text = folders.reduce((said, folder) => said.replaceAll(`${folder}/`, ''), stderr);
    const said = gitMessage(text, access.secrets);
    throw new GitError(`git ${args[0] ?? ''} failed: ${said}`, { stderr, repository });
  };
  return {
    attempt: (...args) => runWith(args, 'utf8'),
    output: (...args) => outputWith(args, 'utf8'),
    bytes: (...args) => outputWith(args, 'latin1'),
    in: (folder, files) =>
      gitIn(deps, options, { env: { ...env, ...variablesOf(folder, files) }, until, repository: folder }),
  };
}
