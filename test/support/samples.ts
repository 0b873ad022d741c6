import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve('samples');

/** The folders below samples/. */
export function allSamples(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? each.name : []));
}

function needsClusters(sample: string): boolean {
  return existsSync(path.join(FOLDER, sample, 'clusters'));
}

/** Those for clusters that a sandbox does not have; their folder `clusters` describes them. */
export function clusterSamples(): string[] {
  return allSamples().filter(needsClusters);
}

/** Those that run in a sandbox. */
export function sandboxSamples(): string[] {
  return allSamples().filter((sample) => !needsClusters(sample));
}

/** The manifests in some folders, as far as these exist. */
export function manifestsIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    return names.sort().map((name) => path.join(folder, name));
  });
}

/** What one uses, and another one saves. */
const USES: Readonly<Record<string, string>> = { '03-use-template': '02-save-template' };

/** All that a sample needs: with its clusters, and its template. */
export function filesOfSample(sample: string): string[] {
  const used = USES[sample];
  const folder = path.join('samples', sample);
  return manifestsIn(
    folder,
    path.join(folder, 'clusters'),
    ...(used === undefined ? [] : [path.join('samples', used)]),
  );
}
