import { beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { completionScript, completionWords, SHELLS } from '#cli/completion.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

const execute = promisify(execFile);
const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');

let script: string;

beforeAll(async () => {
  ({ stdout: script } = await execute(process.execPath, [PROGRAM, 'completion', 'bash']));
});

/** What the real bash offers for a line that was typed so far. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(' ');
  const typed = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
  const { stdout } = await execute('bash', ['-c', `${script}\n${typed}\n_fairlead\nprintf '%s\\n' "\${COMPREPLY[@]}"`]);
  return stdout.split('\n').filter((word) => word !== '');
}

it.each<[string, readonly string[]]>([
  ['fairlead rollb', ['rollback']],
  ['fairlead rollout a', ['approve', 'abort']],
  ['fairlead sandbox up --mem', ['--members']],
  ['fairlead -n', []],
  ['fairlead tree shop -o ', ['table', 'wide', 'json', 'yaml']],
  ['fairlead tree shop --output j', ['json']],
  ['fairlead --debug status --wat', ['--watch']],
  ['fairlead nothing --deb', ['--debug']],
  ['fairlead apply -f ', []],
  ['fairlead tree shop --kubeconfig ', []],
  ['fairlead apply --dry', []],
])('bash completes "%s"', async (line, expected) => {
  expect(await offered(line)).toEqual(expected);
});

it('bash accepts the whole script, and registers it for the program', async () => {
  const { stdout, stderr } = await execute('bash', ['-c', `${script}\ncomplete -p fairlead`]);
  expect({ stdout, stderr }).toEqual({ stdout: 'complete -o default -F _fairlead fairlead\n', stderr: '' });
});

it.each<[readonly string[], string]>([
  [['rollb'], 'rollback\n:4\n'],
  [['tree', 'shop', '-o', ''], 'table\nwide\njson\nyaml\n:4\n'],
  [['apply', '-f', ''], ':0\n'],
  [['tree', '$(touch /tmp/x)', '--outp'], '--output\n:4\n'],
])('kubectl asks for what may follow %j', async (words, expected) => {
  const { stdout } = await execute(process.execPath, [PROGRAM, 'completion', 'kubectl']);
  expect(stdout).toMatch(/^#!\/usr\/bin\/env bash\n/);
  expect((await execute('bash', ['-c', stdout, 'kubectl_complete-fairlead', ...words])).stdout).toBe(expected);
});

it.each(SHELLS)('%s gets every verb, its flags, and the values of those that have few', (shell) => {
  const up = new Command('up').option('-o, --output <format>', 'format').option('--all', 'all');
  up.options[0]?.choices(['json', 'yaml']);
  const text = completionScript(shell, completionWords(new Command('x').addCommand(up)));
  for (const words of ['up --help', '--output --all --help', 'json yaml']) expect(text).toContain(words);
  for (const flag of ["' up --output'", "' up -o'"]) expect(text).toContain(flag);
});

it('is the same program as a plugin of kubectl, and says so', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-plugin-'));
  try {
    const plugin = path.join(dir, 'kubectl-fairlead');
    await symlink(PROGRAM, plugin);
    await writeFile(path.join(dir, 'package.json'), '{"type": "module"}');
    const { stdout } = await execute(process.execPath, [plugin, '--help']);
    expect(stdout).toContain('Usage: kubectl fairlead [options] [command]');
    expect((await execute(process.execPath, [plugin, 'tree', '--help'])).stdout).toContain('kubectl fairlead tree');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

/** UPDATE_GOLDEN=1 rewrites them. */
it.each(SHELLS)('the script for %s is what its golden file has', (shell) => {
  const status = new Command('status').option('-o, --output <format>', 'format').option('--file <file>', 'a file');
  status.options[0]?.choices(['json', 'yaml']);
  const rollout = new Command('rollout').addCommand(new Command('approve').option('--dry-run', 'only say it'));
  const program = new Command('fairlead').option('--debug').addCommand(status).addCommand(rollout);
  const file = `test/unit/cli/completion/${shell}.golden`;
  const text = `${completionScript(shell, completionWords(program))}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});
