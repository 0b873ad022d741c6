import type { Deps } from '../deps.js';

/** Files of this machine that stand for what a source would fetch. */
export interface LocalSource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absolute path of a folder, or of a packaged chart. */
  readonly path: string;
  /** `spec.ignore`. */
  readonly ignore: string | undefined;
}

/** What local files are made artifacts with. */
export type LocalTools = Pick<Deps, 'store' | 'offload' | 'run' | 'helmPath'>;

/** A source for messages: `GitRepository/shop/app`. */
export function shownSource({ kind, namespace, name }: Omit<LocalSource, 'path' | 'ignore'>): string {
  return `${kind}/${namespace}/${name}`;
}
