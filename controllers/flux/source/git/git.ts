import type { RunResult } from '#controllers/engine/process/types.js';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { proxyFor } from '#controllers/runtime/pure/proxy.js';
import type { Deps } from '../deps.js';
import { gitMessage } from '../model/git-output.js';
import { timeoutField } from '../model/timeout.js';
import type { GitAccess } from './credentials.js';
import { defined } from '#controllers/runtime/pure/defined.js';

/** One repository as seen by git processes that share access, folder and limit. */
export interface Git {
  /** Output of a command that must succeed. Throws TransientError `GitOperationFailed` with what git said. */
  readonly output: (...args: string[]) => Promise<string>;
  /** Result of a command that may fail. */
  readonly attempt: (...args: string[]) => Promise<RunResult>;
}

export interface GitOptions {
  readonly access: GitAccess;
  /** Decides about the proxy. */
  readonly url: string;
  /** Working folder. */
  readonly folder: string;
  /** Takes the place of the home folder; holds nothing that came from a repository. */
  readonly home: string;
  /** For all commands together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** No hook, no template and no local file can make git run or read what is not ours. */
const SAFE_CONFIG: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'init.templateDir': '',
  'init.defaultBranch': 'unused',
  'advice.detachedHead': 'false',
  'credential.helper': '',
  'gc.auto': '0',
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

function environment({ proxies }: Deps, { access, url, home }: GitOptions): Record<string, string> {
  // Not as variables: git reads them by other rules than Go.
  const proxy = proxyFor(url, proxies);
  return {
    ...access.env,
    ...configEnvironment({ ...access.config, ...defined({ 'http.proxy': proxy }) }),
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https:ssh',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  };
}

/** The real git, cut off from every configuration but ours. */
export function createGit(deps: Deps, options: GitOptions): Git {
  const env = environment(deps, options);
  const { access, folder: cwd, timeoutMs, signal } = options;
  const until = performance.now() + timeoutMs;
  const attempt: Git['attempt'] = async (...args) => {
    const leftMs = Math.max(1, Math.ceil(until - performance.now()));
    try {
      const limits = { timeoutMs: leftMs, maxMemoryBytes: MAX_MEMORY };
      return await deps.run(deps.gitPath, args, { cwd, env, signal, ...limits });
    } catch (cause: unknown) {
      if (!(cause instanceof TransientError) || cause.reason !== 'ProcessTimeout') throw cause;
      const message = `git ${args[0] ?? ''} did not finish within ${timeoutMs} ms (${timeoutField(timeoutMs)})`;
      throw new TransientError(message, { reason: cause.reason, cause });
    }
  };
  return {
    attempt,
    output: async (...args) => {
      const { code, stdout, stderr } = await attempt(...args);
      if (code === 0) return stdout;
      const said = gitMessage(stderr, access.secrets);
      throw new TransientError(`git ${args[0] ?? ''} failed: ${said}`, { reason: 'GitOperationFailed' });
    },
  };
}
