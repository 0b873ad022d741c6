import omit from 'lodash/omit.js';
import type { Artifact } from '#api/flux/common.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { printJson } from '#lib/lossless-json.js';
import type { HelmChart } from '../model/types.js';
import { localChart } from './chart.js';
import { localTree } from './tree.js';
import { shownSource, type LocalSource, type LocalTools } from './types.js';

/** Sources that are charts, or have them, rather than files. */
const CHARTS_ONLY: readonly string[] = [helmRepositoryResource.kind, ociRepositoryResource.kind];

/** Artifacts of local files, each made once. Throws what localTree and localChart throw. */
export class LocalFiles {
  readonly #tools: LocalTools;
  readonly #signal: AbortSignal;
  readonly #made = new Map<string, Promise<Artifact>>();

  constructor(tools: LocalTools, signal: AbortSignal) {
    this.#tools = tools;
    this.#signal = signal;
  }

  /** All files of a source. */
  tree(source: LocalSource): Promise<Artifact> {
    return this.#once(`tree ${shownSource(source)}`, () => localTree(this.#tools, source, this.#signal));
  }

  /** The chart of a HelmChart; without one, the source is the chart. */
  chart(chart: HelmChart | undefined, source: LocalSource): Promise<Artifact> {
    // Many releases have the same chart.
    const key = printJson([shownSource(source), chart && omit(chart.spec, 'interval')]);
    return this.#once(`chart ${key}`, async () => {
      const tree = CHARTS_ONLY.includes(source.kind) ? undefined : await this.tree(source);
      return localChart(this.#tools, { chart, source, tree, signal: this.#signal });
    });
  }

  #once(key: string, make: () => Promise<Artifact>): Promise<Artifact> {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made;
  }
}
