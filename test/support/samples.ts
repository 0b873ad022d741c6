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
