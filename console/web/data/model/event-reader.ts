/** A server-sent event. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}

/** Reads a stream of server-sent events as it comes, in pieces of any length. */
export class EventReader {
  #rest = '';
  #lastId: string;

  /** `lastId`: of the stream before; empty if there was none. */
  constructor(lastId = '') {
    this.#lastId = lastId;
  }

  /** Whoever comes back with it gets what happened since. */
  get lastId(): string {
    return this.#lastId;
  }

  /** The events that end in this piece. */
  push(piece: string): ServerEvent[] {
    const parts = (this.#rest + piece).split(/\r?\n\r?\n/);
    this.#rest = parts.pop() ?? '';
    return parts.flatMap((part) => this.#eventIn(part));
  }

  #eventIn(part: string): ServerEvent[] {
    const fields = part.split(/\r?\n/).map(fieldOf);
    const of = (wanted: string): string[] => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
    this.#lastId = of('id').at(-1) ?? this.#lastId;
    const [name] = of('event');
    return name === undefined ? [] : [{ name, data: of('data').join('\n') }];
  }
}
