import { parseJson } from './lossless-json.js';

type PlainMap = Record<string, unknown>;

/** Bytes of the texts that are parsed at the same time: two objects, however large, so that they can be compared. */
const MOST_OPENED = 3 * 1024 * 1024;

/**
 * The maps that are parsed at the moment, the last one read last, and how long their texts are. Once the running code
 * has returned or waits, only that one is left: its reader mostly reads it again.
 */
const open = new Map<HeldText, PlainMap>();
let length = 0;
let isClosing = false;

function drop(held: HeldText): void {
  open.delete(held);
  length -= held.length;
}

function closeOthers(): void {
  isClosing = false;
  for (const held of [...open.keys()].slice(0, -1)) drop(held);
}

function keepForNow(held: HeldText, value: PlainMap): void {
  if (!isClosing) queueMicrotask(closeOthers);
  isClosing = true;
  open.set(held, value);
  length += held.length;
  for (const oldest of open.keys()) {
    if (length <= MOST_OPENED || oldest === held) return;
    drop(oldest);
  }
}

/** The text of a map in JSON, which is parsed whenever somebody reads the map. */
class HeldText implements ProxyHandler<PlainMap> {
  readonly #bytes: Uint8Array;

  constructor(text: string) {
    // A part of a text would keep the whole of it.
    this.#bytes = new TextEncoder().encode(text);
  }

  get length(): number {
    return this.#bytes.length;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  open(): PlainMap {
    const known = open.get(this);
    if (known !== undefined) {
      open.delete(this);
      open.set(this, known);
      return known;
    }
    const value = parseJson(new TextDecoder().decode(this.#bytes)) as PlainMap; // it is the text of a map
    keepForNow(this, value);
    return value;
  }

  get(_target: PlainMap, key: string): unknown {
    const value = this.open();
    // JSON.stringify asks for it, and is then as fast as ever.
    if (key === 'toJSON' && !Object.hasOwn(value, key)) return (): PlainMap => value;
    return Reflect.get(value, key);
  }

  has(_target: PlainMap, key: string): boolean {
    return Reflect.has(this.open(), key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.open());
  }

  getOwnPropertyDescriptor(_target: PlainMap, key: string): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.open(), key);
  }

  set(): boolean {
    return false;
  }

  defineProperty(): boolean {
    return false;
  }

  deleteProperty(): boolean {
    return false;
  }

  preventExtensions(): boolean {
    return false;
  }
}

const texts = new WeakMap<object, HeldText>();
let isAnyHeld = false;

/**
 * The map that a JSON text is, of which only the text is kept. It reads like any other map, and cannot be changed. What
 * is read of it is as large as it was, so that belongs in no cache; the map itself may.
 */
export function holdMap(text: string): Readonly<PlainMap> {
  const held = new HeldText(text);
  const map = new Proxy<PlainMap>({}, held);
  texts.set(map, held);
  isAnyHeld = true;
  return map;
}

/** The text of a held map in UTF-8, without parsing it; undefined for every other value. */
function heldText(value: unknown): Uint8Array | undefined {
  return isAnyHeld && typeof value === 'object' && value !== null ? texts.get(value)?.bytes : undefined;
}

/** True for two held maps of the same text, which are equal; false: they may be equal all the same. */
export function haveSameText(one: unknown, other: unknown): boolean {
  const [left, right] = [heldText(one), heldText(other)];
  if (left === undefined || right === undefined || left.length !== right.length) return false;
  return left === right || left.every((byte, index) => byte === right[index]);
}

/** The value with `replace` of the text of each held map in it; the value itself if nothing is held. Opens none. */
export function withoutHeld(value: unknown, replace: (text: Uint8Array) => unknown): unknown {
  if (!isAnyHeld || typeof value !== 'object' || value === null) return value;
  const text = heldText(value);
  if (text !== undefined) return replace(text);
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutHeld(item, replace));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const fields = Object.entries(value).map(([key, each]) => [key, each, withoutHeld(each, replace)] as const);
  if (fields.every(([, each, next]) => each === next)) return value;
  return Object.fromEntries(fields.map(([key, , next]) => [key, next]));
}

/** The value itself, or what a held map has in it: for whoever walks through all of it. */
export function opened(value: object): object {
  return texts.get(value)?.open() ?? value;
}
