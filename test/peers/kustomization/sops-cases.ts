import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { runCommand } from '#sandbox/command.js';
import { kustomizationFile, object, type Case, type Files } from './case.js';

const SCRIPT = path.join('tools', 'sops-fixtures', 'generate.sh');

/** What the script that makes the fixtures of our tests encrypts today, by the real sops, age and gpg. */
export async function encryptedFiles(): Promise<Files> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-sops-'));
  try {
    await runCommand('sh', [SCRIPT, folder], { cwd: PACKAGE_ROOT });
    const names = await readdir(folder);
    const texts = names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const);
    return Object.fromEntries(await Promise.all(texts));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function chosen(files: Files, names: readonly string[]): Files {
  return Object.fromEntries(names.map((name) => [name, files[name] ?? '']));
}

function keys(files: Files, names: readonly string[]): object {
  return object('v1 Secret', 'keys', { stringData: chosen(files, names) });
}

export function sopsCases(encrypted: Files): readonly Case[] {
  const resources = ['secret.yaml', 'pgp.yaml', 'both.yaml', 'several.yaml', 'mac-only.yaml'];
  const generated = ['config.json', 'app.env', 'blob.bin'];
  const secretGenerator = [{ name: 'generated', files: ['config.json', 'blob.bin'], envs: ['app.env'] }];
  return [
    {
      name: 'sops',
      steps: [
        {
          does: 'files of all formats are decrypted with keys of age and PGP',
          files: {
            'kustomization.yaml': kustomizationFile({ resources, secretGenerator }),
            ...chosen(encrypted, [...resources, ...generated]),
          },
          spec: { decryption: { provider: 'sops', secretRef: { name: 'keys' } } },
          users: [{ args: 'create --filename=-', input: keys(encrypted, ['own.agekey', 'own.asc']) }],
        },
        {
          does: 'a file that is encrypted for others is an error',
          files: chosen(encrypted, ['secret.yaml', 'other.yaml']),
          fails: 'BuildFailed',
        },
        {
          does: 'until there is their key',
          users: [{ args: 'apply --server-side --filename=-', input: keys(encrypted, ['other.agekey']) }],
        },
      ],
    },
  ];
}
