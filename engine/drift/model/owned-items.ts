import isMatch from 'lodash/isMatch.js';
import { parseJson, canonicalJson } from '#lib/json/lossless-json.js';
import { groupedBy, isMap, ownFields, type PlainMap } from '#lib/plain.js';

/** `fieldsV1`, or what it has below a place. */
export type Fields = Readonly<PlainMap>;

/** An item that a manager owns something of. */
export interface OwnedItem {
  /** As `fieldsV1` tells the item. */
  readonly part: string;
  readonly key: PlainMap;
  readonly below: Fields;
}

/** The items of a list that a manager owns, where fields tell them. */
export class OwnedItems {
  /** The list is owned without parts: it is applied as a whole. */
  readonly isWhole: boolean;
  readonly #items = new Map<string, OwnedItem>();
  /** The fields that tell an item; those without a value are left out. */
  readonly #names: ReadonlyMap<string, readonly string[]>;
  readonly #byValues = new Map<string, ReadonlyMap<string, readonly OwnedItem[]>>();

  constructor(fields: Fields) {
    this.isWhole = Object.keys(fields).every((part) => part === '.');
    for (const [part, below] of Object.entries(fields)) {
      const key = part.startsWith('k:') ? parseJson(part.slice(2)) : undefined;
      if (isMap(key) && isMap(below)) this.#items.set(canonicalJson(key), { part, key, below });
    }
    const names = [...this.#items.values()].map(({ key }) => Object.keys(key));
    this.#names = new Map(names.map((each) => [JSON.stringify(each), each]));
  }

  /** What is owned of an item as the server has it. */
  of(item: unknown): OwnedItem | undefined {
    if (!isMap(item)) return undefined;
    const found = [...this.#names.values()].map((names) => this.#items.get(canonicalJson(ownFields(item, names))));
    return found.find((owned) => owned !== undefined);
  }

  /** True where an item as it is applied can only be the owned one: it may leave fields that tell it to defaults. */
  isOnly(owned: OwnedItem, item: unknown): boolean {
    if (!isMap(item)) return false;
    const told = ownFields(item, Object.keys(owned.key));
    if (!isMatch(owned.key, told)) return false;
    return this.#countOf(told) === 1;
  }

  /** How many items have these values. */
  #countOf(told: PlainMap): number | undefined {
    const names = Object.keys(told);
    const list = JSON.stringify(names);
    const byValues =
      this.#byValues.get(list) ?? groupedBy(this.#items.values(), ({ key }) => canonicalJson(ownFields(key, names)));
    this.#byValues.set(list, byValues);
    return byValues.get(canonicalJson(told))?.length;
  }
}
