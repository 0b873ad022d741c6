import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '#controllers/runtime/package-root.js';
import { OPTIONS } from '#controllers/options.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const LIMIT_MS = 60_000;
const SECRET = 'not-for-anybody';

/** A kubeconfig whose server nobody listens at. */
const NOBODY = `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {token: nothing}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
`;

const FILES: Readonly<Record<string, string>> = {
  nobody: NOBODY,
  elsewhere: NOBODY.replace('127.0.0.1:1', 'nowhere.invalid:6443'),
  empty: '',
  broken: `users: [{name: u, user: {token: ${SECRET}\n  x: [`,
  pod: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n',
};

interface Ended {
  readonly code: unknown;
  readonly stderr: string;
}

/** Each with what its message has to say. */
const WRONG_FILES = [
  ['status --kubeconfig missing', /cannot read kubeconfig missing: .*choose another file with --kubeconfig/],
  ['status --kubeconfig folder', /cannot read kubeconfig folder: .*choose another file with --kubeconfig/],
  ['status --kubeconfig empty', /empty is not a kubeconfig.*choose another file with --kubeconfig/],
  ['status --kubeconfig broken', /broken is not a kubeconfig.*choose another file with --kubeconfig/],
  ['status --kubeconfig pod', /kubeconfig pod: context \S+ has no cluster; choose one with --context/],
  ['status --kubeconfig nobody --context none', /context "none" has no cluster; choose one with --context/],
  ['status --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['status --kubeconfig elsewhere', /nowhere\.invalid:6443 cannot be reached: .*choose another cluster/],
  ['install --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['install --kubeconfig missing', /cannot read kubeconfig missing/],
  ['uninstall --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['uninstall --purge --yes --kubeconfig missing', /cannot read kubeconfig missing/],
  ['check --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached: .*choose another cluster with --kubeconfig/],
  ['check --kubeconfig broken', /broken is not a kubeconfig/],
  ['version --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached/],
  ['controller --health-addr 127.0.0.1:0 --kubeconfig missing', /cannot read kubeconfig missing/],
  ['controller --health-addr 127.0.0.1:0 --kubeconfig nobody', /127\.0\.0\.1:1 cannot be reached/],
  ['demo --dir new --kubeconfig nobody', /--kubeconfig nobody: .*127\.0\.0\.1:1 cannot be reached/],
  ['demo --dir new --kubeconfig missing', /cannot read kubeconfig missing/],
  ['demo --dir new --kubeconfig nobody --member-kubeconfig pod', /--member-kubeconfig pod: .*has no cluster/],
  ['demo --dir new --clean --kubeconfig nobody', /--kubeconfig nobody: .*127\.0\.0\.1:1 cannot be reached/],
] as const;

/** One wrong value for each flag that takes one and that is not a file of the table above. */
const WRONG_VALUES = [
  ['demo --members 1', /--members.* must be a number from 2 to 20/],
  ['demo --members many', /--members.* must be a number from 2 to 20/],
  ['demo --namespace UPPER --kubeconfig nobody', /--namespace.* must be a name of up to 40/],
  ['demo --namespace good', /--namespace requires --kubeconfig/],
  ['demo --member-kubeconfig nobody', /--member-kubeconfig requires --kubeconfig/],
  ['demo --dir empty', /empty/],
  ['status --output xml', /--output.*table, wide, json, yaml/],
  ['status --wait --timeout soon', /--timeout.* must be a duration/],
  ['install --profile admin', /--profile.*cluster, tenant/],
  ['install --timeout soon', /--timeout.* must be a duration from 1s to 1h/],
  ['install --image=', /--image.* must be an image/],
  ['install --flux-namespace Flux/System', /--flux-namespace.* must be the name of a namespace/],
  ['sandbox up --members -1', /--members/],
  ['sandbox up --members 21', /--members.* must be a number from 0 to 20/],
  ['sandbox env --dir nowhere', /no sandbox is running in nowhere: start one with/],
  ['nothing', /unknown command 'nothing'/],
  ['status --nothing', /unknown option '--nothing'/],
] as const;

describe('the command line with wrong input', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-flags-'));
    await mkdir(path.join(dir, 'folder'));
    for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(dir, name), text);
  });

  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  function ended(line: string): Promise<Ended> {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const options = { cwd: dir, env, timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...line.split(' ')], options, (error, _, stderr) => {
        resolve({ code: error?.code, stderr });
      });
    });
  }

  /** One line, or two where the second one points to the help. */
  function expectLine({ code, stderr }: Ended, says: RegExp): void {
    expect({ code, stderr }).toMatchObject({ code: 1 });
    const [line = '', ...others] = stderr.trimEnd().split('\n');
    expect(line).toMatch(says);
    expect(['', '(add --help for the usage)']).toContain(others.join('\n'));
    expect(stderr).not.toContain(SECRET);
  }

  it.each(WRONG_FILES)(
    '%s',
    async (line, says) => {
      expectLine(await ended(line), says);
      expect((await readdir(dir)).sort()).toEqual([...Object.keys(FILES), 'folder'].sort());
    },
    LIMIT_MS,
  );

  it.each(WRONG_VALUES)(
    '%s',
    async (line, says) => {
      expectLine(await ended(line), says);
    },
    LIMIT_MS,
  );

  it(
    'controller: one line for every flag with a wrong value',
    async () => {
      const flags = OPTIONS.filter(({ parse }) => parse !== undefined).map(({ flag }) => flag);
      const { code, stderr } = await ended(['controller', ...flags.map((flag) => `--${flag}=?`)].join(' '));
      expect(code).toBe(1);
      const lines = stderr.trimEnd().split('\n');
      expect(lines.map((line) => line.replace('fairlead: ', '').split(':', 1)[0])).toEqual(
        flags.map((flag) => `--${flag}`),
      );
    },
    LIMIT_MS,
  );
});
