import type { Allowance } from '#runtime/client/kube.js';
import { PreviewError } from './preview-error.js';

/** What one answer may cost. */
export interface Costs {
  /** Objects of one type that are read. */
  readonly objects: number;
  /** Bytes of all that is read. */
  readonly bytes: number;
  /** Characters of all values that are made, on the way as well. */
  readonly characters: number;
}

const MEGABYTE = 1_000_000;

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}

/** What one answer has cost so far. Whatever costs more than it may is a PreviewError that says what. */
export class Budget implements Allowance {
  readonly #costs: Costs;
  /** Bytes, by kind. */
  readonly #read = new Map<string, number>();
  #bytes = 0;
  #characters = 0;

  constructor(costs: Partial<Costs> = {}) {
    this.#costs = { objects: Infinity, bytes: Infinity, characters: Infinity, ...costs };
  }

  take(kind: string, bytes: number): void {
    this.#bytes += bytes;
    this.#read.set(kind, (this.#read.get(kind) ?? 0) + bytes);
    if (this.#bytes <= this.#costs.bytes) return;
    const [[most, own] = ['', 0]] = [...this.#read].sort(([, left], [, right]) => right - left);
    const limit = megabytes(this.#costs.bytes);
    const message = `there are more than ${limit} to read for one answer, ${megabytes(own)} of them of kind ${most}`;
    throw new PreviewError('TooLarge', message);
  }

  /** Objects of one type that were read so far. */
  checkCount(count: number, plural: string): void {
    const { objects } = this.#costs;
    if (count > objects) throw new PreviewError('TooLarge', `there are more than ${objects} ${plural} to read`);
  }

  /** `what`: the clause that says what is made. */
  spend(characters: number, what: string, wayOut = ''): void {
    this.#characters += characters;
    if (this.#characters <= this.#costs.characters) return;
    throw new PreviewError('TooLarge', `${what} is too much for one answer${wayOut}`);
  }
}
