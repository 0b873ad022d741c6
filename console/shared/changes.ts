/** What changed, in the words of RBAC. */
export interface Subject {
  readonly type: { readonly group: string; readonly plural: string };
  readonly namespace: string;
  /** Who may get this one by name hears of it, too; undefined: only who may list. */
  readonly name?: string;
}

/** One change, ready to be sent. */
export interface Notice {
  /** Counts up from 1 for as long as the process runs. */
  readonly number: number;
  readonly subject: Subject;
  /** What is sent of it. */
  readonly text: string;
}

/** How many changes are kept, and of how many characters together. */
export interface ChangesLimits {
  readonly most: number;
  readonly characters: number;
}

/**
 * The newest changes, so that a reader who lost the connection goes on where he was. An id names the process as well:
 * another one has other numbers.
 */
export class Changes {
  readonly #epoch: string;
  readonly #limits: ChangesLimits;
  readonly #kept = new Map<number, Notice>();
  #newest = 0;
  #characters = 0;

  constructor(epoch: string, limits: ChangesLimits) {
    this.#epoch = epoch;
    this.#limits = limits;
  }

  /** `textOf` gets the id of the change. */
  add(subject: Subject, textOf: (id: string) => string): Notice {
    this.#newest += 1;
    const notice = { number: this.#newest, subject, text: textOf(this.newest) };
    this.#kept.set(notice.number, notice);
    this.#characters += notice.text.length;
    this.#forget();
    return notice;
  }

  /** The id of the last change. */
  get newest(): string {
    return `${this.#epoch}.${this.#newest}`;
  }

  /** What happened after the change of this id; undefined if that is not known, and everything must be read again. */
  since(id: string): readonly Notice[] | undefined {
    const [, epoch, digits = ''] = /^(.+)\.(\d{1,15})$/.exec(id) ?? [];
    const number = Number(digits);
    if (epoch !== this.#epoch || number > this.#newest) return undefined;
    const isWhole = number === this.#newest || this.#kept.has(number + 1);
    return isWhole ? [...this.#kept.values()].filter((each) => each.number > number) : undefined;
  }

  #forget(): void {
    const { most, characters } = this.#limits;
    for (const [number, { text }] of this.#kept) {
      if (this.#kept.size <= most && this.#characters <= characters) break;
      this.#kept.delete(number);
      this.#characters -= text.length;
    }
  }
}
